// The dashboard of watches and the watch cache.
import { max, orZero, quantile, rate, SERVERS, sum } from "./expressions.mjs";

export const WATCHES = {
  uid: "orch-watches",
  title: "Orch / Watches and watch cache",
  about: "Open watches and their events, and how current the watch cache is.",
  rows: [
    {
      title: "Watches",
      panels: [
        {
          title: "Open watches by kind",
          about: "The ten kinds with the most open watches.",
          unit: "short",
          queries: [["{{group}}/{{kind}}", `topk(10, ${sum("group, kind", "apiserver_registered_watchers")})`]],
        },
        {
          title: "Events sent",
          about: "Events per second that are sent to watches.",
          unit: "ops",
          queries: [["{{instance}}", rate("instance", "apiserver_watch_events_total")]],
        },
        {
          title: "Size of events",
          about: "99th percentile of the size of events.",
          unit: "bytes",
          queries: [["{{instance}}", quantile(0.99, "instance", "apiserver_watch_events_sizes")]],
        },
        {
          title: "Initial objects",
          about: "Objects per second that watches send at their beginning.",
          unit: "ops",
          queries: [["{{resource}}", `topk(10, ${rate("resource", "apiserver_init_events_total")})`]],
        },
        {
          title: "Ended watches of slow clients",
          about: "Watches per second that the server ended because the client read too slowly.",
          unit: "ops",
          queries: [["{{resource}}", orZero(rate("resource", "apiserver_terminated_watchers_total"))]],
        },
        {
          title: "Unread bytes",
          about: "Bytes of answers that clients have not read, and bodies of requests in progress.",
          unit: "bytes",
          queries: [
            ["unread {{instance}}", sum("instance", "apiserver_unread_bytes")],
            ["bodies {{instance}}", sum("instance", "apiserver_request_body_bytes")],
          ],
        },
      ],
    },
    {
      title: "Watch cache",
      panels: [
        {
          title: "Lag",
          about: "Seconds that the watch cache has been behind the store.",
          unit: "s",
          queries: [["{{instance}}", max("instance", "apiserver_watch_cache_lag_seconds")]],
        },
        {
          title: "Connected",
          about: "1 while the watch cache receives the changes of the store.",
          unit: "short",
          queries: [["{{instance}}", `min by (instance) (apiserver_watch_cache_connected{${SERVERS}})`]],
        },
        {
          title: "Long-running requests",
          about: "Open long-running requests, by verb.",
          unit: "short",
          queries: [["{{verb}}", sum("verb", "apiserver_longrunning_requests")]],
        },
        {
          title: "Lists",
          about: "Lists per second from the watch cache and from the store.",
          unit: "ops",
          queries: [
            ["cache", rate("", "apiserver_cache_list_total")],
            ["store", orZero(rate("", "apiserver_storage_list_total"))],
          ],
        },
        {
          title: "Objects of lists",
          about: "Objects per second that lists return, by resource.",
          unit: "ops",
          queries: [
            [
              "{{resource}}{{resource_prefix}}",
              `topk(10, ${rate("resource, resource_prefix", "apiserver_cache_list_returned_objects_total")})`,
            ],
          ],
        },
        {
          title: "Capacity",
          about: "The ten resources with the largest history of changes.",
          unit: "short",
          queries: [["{{resource}}", `topk(10, ${max("resource", "watch_cache_capacity")})`]],
        },
      ],
    },
  ],
};
