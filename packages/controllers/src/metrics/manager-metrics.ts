// What the program measures of itself. Names as the field's dashboards expect them.
import type { ClientMetrics, QueueMetrics, WorkStanding } from "@orch/client";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { DutyStates } from "../manager/duty-states";

const QUEUE_SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10];
const CLIENT_SECONDS = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512];
const OF_QUEUE = ["name"];
const OF_REQUEST = ["verb", "url"];

export class ManagerMetrics {
  private readonly registry = new Registry();
  private readonly depth = this.gauge("workqueue_depth", "Items that wait.");
  private readonly adds = this.counter("workqueue_adds_total", "Items added.", OF_QUEUE);
  private readonly retries = this.counter("workqueue_retries_total", "Items added again after a failure.", OF_QUEUE);
  private readonly waited = this.histogram("workqueue_queue_duration_seconds", "Seconds that an item waited.", {
    labels: OF_QUEUE,
    buckets: QUEUE_SECONDS,
  });
  private readonly worked = this.histogram("workqueue_work_duration_seconds", "Seconds of work on an item.", {
    labels: OF_QUEUE,
    buckets: QUEUE_SECONDS,
  });
  private readonly requests = this.counter("rest_client_requests_total", "Tries of requests to the API server.", [
    "code",
    "method",
    "host",
  ]);
  private readonly requestSeconds = this.histogram(
    "rest_client_request_duration_seconds",
    "Seconds until the API server began to answer.",
    { labels: OF_REQUEST, buckets: CLIENT_SECONDS },
  );
  private readonly heldBackSeconds = this.histogram(
    "rest_client_rate_limiter_duration_seconds",
    "Seconds that requests were held back by the client's own rate limit.",
    { labels: OF_REQUEST, buckets: CLIENT_SECONDS },
  );
  private readonly queues = new Map<string, WorkStanding>();

  /** @param of asked at each scrape */
  constructor(of: { readonly name: string; leads(): boolean; readonly states: DutyStates }) {
    collectDefaultMetrics({ register: this.registry });
    this.standing("workqueue_longest_running_processor_seconds", "Age of the oldest work.", "longestWorkMs");
    this.standing("workqueue_unfinished_work_seconds", "Ages of all work together.", "unfinishedWorkMs");
    new Gauge({
      name: "leader_election_master_status",
      help: help("1 for the process that leads."),
      labelNames: ["name"],
      registers: [this.registry],
      collect() {
        this.set({ name: of.name }, of.leads() ? 1 : 0);
      },
    });
    new Gauge({
      name: "running_managed_controllers",
      help: help("1 for a duty that this process does now."),
      labelNames: ["name", "manager"],
      registers: [this.registry],
      collect() {
        for (const [name, { kind }] of of.states.all())
          this.set({ name, manager: of.name }, kind === "working" ? 1 : 0);
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
    made: (queue) => void this.queues.set(name, queue),
    depth: (items) => this.depth.set({ name }, items),
    added: () => this.adds.inc({ name }),
    retried: () => this.retries.inc({ name }),
    taken: (seconds) => this.waited.observe({ name }, seconds),
    done: (seconds) => this.worked.observe({ name }, seconds),
  });

  readonly client: ClientMetrics = {
    tried: ({ method, host, url }, code, seconds) => {
      this.requests.inc({ code, method, host });
      this.requestSeconds.observe({ verb: method, url }, seconds);
    },
    heldBack: ({ method, url }, seconds) => this.heldBackSeconds.observe({ verb: method, url }, seconds),
  };

  private gauge(name: string, what: string) {
    return new Gauge({ name, help: help(what), labelNames: OF_QUEUE, registers: [this.registry] });
  }

  /** Asked of every queue at each scrape. */
  private standing(name: string, what: string, figure: keyof WorkStanding): void {
    const { queues } = this;
    new Gauge({
      name,
      help: help(what),
      labelNames: OF_QUEUE,
      registers: [this.registry],
      collect() {
        for (const [queue, standing] of queues) this.set({ name: queue }, standing[figure] / 1000);
      },
    });
  }

  private counter(name: string, what: string, labelNames: string[]) {
    return new Counter({ name, help: help(what), labelNames, registers: [this.registry] });
  }

  private histogram(name: string, what: string, of: { readonly labels: string[]; readonly buckets: number[] }) {
    const { labels: labelNames, buckets } = of;
    return new Histogram({ name, help: help(what), labelNames, buckets, registers: [this.registry] });
  }
}

/** The field writes into the help that a metric may still change. */
const help = (what: string): string => `[ALPHA] ${what}`;
