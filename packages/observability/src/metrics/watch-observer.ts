// Metrics of the watch cache: events, lists and the starts of watches, by resource. The children of a resource are
// resolved once. Source: staging/src/k8s.io/apiserver/pkg/storage/cacher/metrics/metrics.go.
import type { GroupResource, ResourceDefinition } from "@orch/machinery";
import type { ListFigures, RegistryObserver } from "@orch/registry";
import type { ServerMetrics } from "./server-metrics";

export function watchObserver(metrics: ServerMetrics): RegistryObserver {
  const initial = metrics.counter("apiserver_init_events_total");
  const windows = {
    grown: "watch_cache_capacity_increase_total",
    shrunk: "watch_cache_capacity_decrease_total",
  } as const;
  const events = new Map<string, () => void>();
  const lists = new WeakMap<ResourceDefinition, ListRecords>();
  return {
    watchPrimed: (resource, objects) =>
      initial.inc(metrics.labelsFor("apiserver_init_events_total", parsed(resource, ".")), objects),
    windowResized: (resource, change) =>
      metrics.counter(windows[change]).inc(metrics.labelsFor(windows[change], parsed(resource, "."))),
    eventReceived(path) {
      let count = events.get(path);
      if (count === undefined) {
        count = eventCount(metrics, parsed(path, "/"));
        events.set(path, count);
      }
      count();
    },
    consistencyChecked({ group, plural }, status) {
      const name = "apiserver_storage_consistency_checks_total";
      metrics.counter(name).inc(metrics.labelsFor(name, { group, resource: plural }, { status }));
    },
    objectUnreadable(path) {
      const name = "apiserver_storage_decode_errors_total";
      metrics.counter(name).inc(metrics.labelsFor(name, parsed(path, "/")));
    },
    listServed(definition, list) {
      let records = lists.get(definition);
      if (records === undefined) {
        records = new ListRecords(metrics, definition);
        lists.set(definition, records);
      }
      records.add(list);
    },
  };
}

/** Parses `deployments.apps` or `apps/deployments`. The core group is empty in the first form and `core` in the second. */
function parsed(text: string, separator: "." | "/"): GroupResource {
  const at = text.indexOf(separator);
  if (separator === "/") return { group: at < 0 ? "" : groupOf(text.slice(0, at)), resource: text.slice(at + 1) };
  return at < 0 ? { group: "", resource: text } : { group: text.slice(at + 1), resource: text.slice(0, at) };
}

const groupOf = (text: string): string => (text === "core" ? "" : text);

const EVENT_COUNTERS = [
  "apiserver_storage_events_received_total",
  "apiserver_watch_cache_events_received_total",
  "apiserver_watch_cache_events_dispatched_total",
] as const;

function eventCount(metrics: ServerMetrics, resource: GroupResource): () => void {
  const children = EVENT_COUNTERS.filter((name) => metrics.serves(name)).map((name) =>
    metrics.counter(name).labels(metrics.labelsFor(name, resource)),
  );
  return () => {
    for (const child of children) child.inc();
  };
}

interface Child {
  inc(count?: number): void;
}

/** Counters of the lists of one resource. */
class ListRecords {
  private readonly resource: GroupResource;
  private readonly cache: Sums;
  private readonly store: Sums & { readonly evaluated: Child };
  private readonly consistent: Readonly<Record<"cache" | "store", Child>>;
  private readonly waitSeconds: { observe(value: number): void };

  constructor(
    private readonly metrics: ServerMetrics,
    { group, plural }: ResourceDefinition,
  ) {
    this.resource = { group, resource: plural };
    this.cache = {
      lists: this.child("apiserver_cache_list_total", { index: "" }),
      fetched: this.child("apiserver_cache_list_fetched_objects_total", { index: "" }),
      returned: this.child("apiserver_cache_list_returned_objects_total"),
    };
    this.store = {
      lists: this.child("apiserver_storage_list_total"),
      fetched: this.child("apiserver_storage_list_fetched_objects_total"),
      returned: this.child("apiserver_storage_list_returned_objects_total"),
      evaluated: this.child("apiserver_storage_list_evaluated_objects_total"),
    };
    this.consistent = {
      cache: this.child("apiserver_watch_cache_consistent_read_total", { success: "true", fallback: "false" }),
      store: this.child("apiserver_watch_cache_consistent_read_total", { success: "true", fallback: "true" }),
    };
    const wait = "apiserver_watch_cache_read_wait_seconds";
    this.waitSeconds = metrics.histogram(wait).labels(metrics.labelsFor(wait, this.resource));
  }

  add({ from, fetched, returned, isConsistent, waitedMs }: ListFigures): void {
    const sums = this[from];
    sums.lists.inc();
    if (fetched > 0) sums.fetched.inc(fetched);
    if (returned > 0) sums.returned.inc(returned);
    if (from === "store" && fetched > 0) this.store.evaluated.inc(fetched);
    if (isConsistent) this.consistent[from].inc();
    this.waitSeconds.observe(waitedMs / 1000);
  }

  private child(name: Parameters<ServerMetrics["counter"]>[0], others: Readonly<Record<string, string>> = {}): Child {
    const { group, resource } = this.resource;
    const prefix = { resource_prefix: group === "" ? `/${resource}` : `/${group}/${resource}` };
    return this.metrics.counter(name).labels(this.metrics.labelsFor(name, this.resource, { ...prefix, ...others }));
  }
}

interface Sums {
  readonly lists: Child;
  readonly fetched: Child;
  readonly returned: Child;
}
