// What the program measures of itself. Names as the field's dashboards expect them.
import type { QueueMetrics } from "@orch/client";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

const QUEUE_SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10];

export class ManagerMetrics {
  private readonly registry = new Registry();
  private readonly depth = this.gauge("workqueue_depth", "Items that wait.");
  private readonly adds = this.counter("workqueue_adds_total", "Items added.");
  private readonly retries = this.counter("workqueue_retries_total", "Items added again after a failure.");
  private readonly waited = this.histogram("workqueue_queue_duration_seconds", "Seconds that an item waited.");
  private readonly worked = this.histogram("workqueue_work_duration_seconds", "Seconds of work on an item.");

  /** @param leads asked at each scrape */
  constructor(lease: { readonly name: string; leads(): boolean }) {
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: "leader_election_master_status",
      help: "1 for the process that leads.",
      labelNames: ["name"],
      registers: [this.registry],
      collect() {
        this.set({ name: lease.name }, lease.leads() ? 1 : 0);
      },
    });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  render(): Promise<string> {
    return this.registry.metrics();
  }

  readonly queue = (name: string): QueueMetrics => ({
    depth: (items) => this.depth.set({ name }, items),
    added: () => this.adds.inc({ name }),
    retried: () => this.retries.inc({ name }),
    taken: (seconds) => this.waited.observe({ name }, seconds),
    done: (seconds) => this.worked.observe({ name }, seconds),
  });

  private gauge(name: string, help: string) {
    return new Gauge({ name, help, labelNames: ["name"], registers: [this.registry] });
  }

  private counter(name: string, help: string) {
    return new Counter({ name, help, labelNames: ["name"], registers: [this.registry] });
  }

  private histogram(name: string, help: string) {
    return new Histogram({ name, help, labelNames: ["name"], buckets: QUEUE_SECONDS, registers: [this.registry] });
  }
}
