// Metrics of the allocation of cluster IPs and node ports.
import type { AllocationAttempt } from "@orch/machinery";
import type { ServerMetrics } from "./server-metrics";

/** Prefixes of the allocations in the store. */
export interface AllocationPlaces {
  readonly addresses: string;
  readonly ports: string;
}

/** Number of addresses up to which a scrape counts those of each range. Beyond it, the last counts remain. */
const COUNTED_MAX = 20_000;

const ADDRESS = "kube_apiserver_clusterip_allocator";
const PORT = "kube_apiserver_nodeport_allocator";

export class AllocationFigures {
  /** Ranges from which this server allocated addresses, by their text. */
  private readonly ranges = new Map<string, NonNullable<AllocationAttempt["range"]> & { readonly size: number }>();
  private ports: number | undefined;

  constructor(private readonly metrics: ServerMetrics) {}

  readonly attempted = ({ range, size, isRequested, succeeded, seconds }: AllocationAttempt): void => {
    const { metrics } = this;
    const what = succeeded ? "allocation_total" : "allocation_errors_total";
    const scope = isRequested ? "static" : "dynamic";
    if (range === undefined) {
      this.ports = size;
      metrics.counter(`${PORT}_${what}`).inc({ scope });
      return;
    }
    const cidr = range.text;
    if (!this.ranges.has(cidr))
      this.ranges.set(cidr, { text: cidr, size, contains: (address) => range.contains(address) });
    metrics.counter(`${ADDRESS}_${what}`).inc({ cidr, scope });
    metrics.histogram(`${ADDRESS}_allocation_duration_seconds`).labels({ cidr }).observe(seconds);
  };

  /** Sets the gauges. @param held returns the names of the allocations under a prefix */
  show(places: AllocationPlaces, held: (place: string) => Iterable<string>): void {
    const { metrics, ranges, ports } = this;
    if (ports !== undefined) {
      const used = [...held(places.ports)].length;
      metrics.gauge(`${PORT}_allocated_ports`).set(used);
      metrics.gauge(`${PORT}_available_ports`).set(Math.max(0, ports - used));
    }
    if (ranges.size === 0) return;
    const addresses = [...held(places.addresses)];
    if (ranges.size > 1 && addresses.length > COUNTED_MAX) return;
    for (const range of ranges.values()) {
      const isOnly = ranges.size === 1;
      const used = isOnly ? addresses.length : addresses.filter((address) => range.contains(address)).length;
      metrics.gauge(`${ADDRESS}_allocated_ips`).set({ cidr: range.text }, used);
      metrics.gauge(`${ADDRESS}_available_ips`).set({ cidr: range.text }, Math.max(0, range.size - used));
    }
  }
}
