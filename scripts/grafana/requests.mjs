// The dashboard of requests and flow control.
import { max, orZero, quantile, rate, sum } from "./expressions.mjs";

const SHORT = 'verb!~"WATCH|WATCHLIST|CONNECT"';

export const REQUESTS = {
  uid: "orch-requests",
  title: "Orch / Requests and flow control",
  about: "Requests by verb, code and resource, their duration, and the queues of flow control.",
  rows: [
    {
      title: "Requests",
      panels: [
        {
          title: "Requests by verb",
          about: "Requests per second, by verb.",
          unit: "reqps",
          queries: [["{{verb}}", rate("verb", "apiserver_request_total")]],
        },
        {
          title: "Requests by code",
          about: "Requests per second, by code of the answer.",
          unit: "reqps",
          queries: [["{{code}}", rate("code", "apiserver_request_total")]],
        },
        {
          title: "Requests by resource",
          about: "The ten resources with the most requests per second.",
          unit: "reqps",
          queries: [["{{group}}/{{resource}}", `topk(10, ${rate("group, resource", "apiserver_request_total")})`]],
        },
        {
          title: "Share of server errors",
          about: "Share of the requests with a code of 5xx.",
          unit: "percentunit",
          queries: [["", "orch:apiserver_request_errors:ratio_rate5m"]],
        },
        {
          title: "Share of slow requests",
          about: "Share of the requests that take longer than the objective.",
          unit: "percentunit",
          queries: [["", "orch:apiserver_request_slow:ratio_rate5m"]],
        },
        {
          title: "Rejected for load",
          about: "Requests per second that are answered with 429, by reason.",
          unit: "reqps",
          queries: [
            [
              "{{reason}} {{flow_schema}}",
              orZero(rate("reason, flow_schema", "apiserver_flowcontrol_rejected_requests_total")),
            ],
          ],
        },
      ],
    },
    {
      title: "Duration",
      panels: [
        {
          title: "Median duration",
          about: "Median duration of requests, by verb.",
          unit: "s",
          queries: [["{{verb}}", quantile(0.5, "verb", "apiserver_request_duration_seconds", SHORT)]],
        },
        {
          title: "99th percentile of the duration",
          about: "99th percentile of the duration of requests, by verb.",
          unit: "s",
          queries: [["{{verb}}", quantile(0.99, "verb", "apiserver_request_duration_seconds", SHORT)]],
        },
        {
          title: "Size of answers",
          about: "99th percentile of the size of answers to reads.",
          unit: "bytes",
          queries: [["{{verb}}", quantile(0.99, "verb", "apiserver_response_sizes")]],
        },
        {
          title: "Steps of the pipeline",
          about: "99th percentile of the time in authentication, authorization and other steps.",
          unit: "s",
          queries: [["{{filter}}", quantile(0.99, "filter", "apiserver_request_filter_duration_seconds")]],
        },
        {
          title: "Aborted and ended requests",
          about: "Requests per second that the server ended before or during their answer.",
          unit: "reqps",
          queries: [
            ["ended", orZero(rate("", "apiserver_request_terminations_total"))],
            ["aborted", orZero(rate("", "apiserver_request_aborts_total"))],
          ],
        },
        {
          title: "Closed connections",
          about: "Connections per second that the server closed, by reason, and failed TLS handshakes.",
          unit: "cps",
          queries: [
            ["{{reason}}", orZero(rate("reason", "apiserver_connections_closed_total"))],
            ["handshakes", rate("", "apiserver_tls_handshake_errors_total")],
          ],
        },
      ],
    },
    {
      title: "Flow control",
      panels: [
        {
          title: "Requests in execution",
          about: "Requests in execution, by priority level.",
          unit: "short",
          queries: [["{{priority_level}}", sum("priority_level", "apiserver_flowcontrol_current_executing_requests")]],
        },
        {
          title: "Queued requests",
          about: "Requests in the queues, by priority level.",
          unit: "short",
          queries: [["{{priority_level}}", sum("priority_level", "apiserver_flowcontrol_current_inqueue_requests")]],
        },
        {
          title: "Time in queues",
          about: "99th percentile of the time in queues, by priority level.",
          unit: "s",
          queries: [
            [
              "{{priority_level}}",
              quantile(0.99, "priority_level", "apiserver_flowcontrol_request_wait_duration_seconds"),
            ],
          ],
        },
        {
          title: "Dispatched requests",
          about: "Requests per second, by flow schema.",
          unit: "reqps",
          queries: [["{{flow_schema}}", rate("flow_schema", "apiserver_flowcontrol_dispatched_requests_total")]],
        },
        {
          title: "Seats",
          about: "Seats of each priority level. Releases before 1.26 have fixed seats.",
          unit: "short",
          queries: [
            [
              "{{priority_level}}",
              `${max("priority_level", "apiserver_flowcontrol_current_limit_seats")} or ${max("priority_level", "apiserver_flowcontrol_request_concurrency_limit")}`,
            ],
          ],
        },
        {
          title: "Requests in flight",
          about: "Maximum of the requests in flight in the last second, by kind.",
          unit: "short",
          queries: [["{{request_kind}}", sum("request_kind", "apiserver_current_inflight_requests")]],
        },
      ],
    },
    {
      title: "Access",
      panels: [
        {
          title: "Authentications",
          about: "Authentications per second, by outcome.",
          unit: "ops",
          queries: [["{{result}}", rate("result", "authentication_attempts")]],
        },
        {
          title: "Authorizations",
          about: "Authorizations per second, by outcome.",
          unit: "ops",
          queries: [["{{result}}", rate("result", "authorization_attempts_total")]],
        },
        {
          title: "Audit events",
          about: "Audit events per second, and those that were dropped or delayed.",
          unit: "ops",
          queries: [
            ["events", rate("", "apiserver_audit_event_total")],
            ["lost, {{plugin}}", orZero(rate("plugin", "apiserver_audit_error_total"))],
          ],
        },
      ],
    },
  ],
};
