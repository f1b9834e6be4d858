// Metrics of the program, under the names of kube-controller-manager.
import type { ClientMetrics, QueueMetrics, RunningWork } from "@orch/client";
import { MetricSet, systemClock } from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { DeviceMetrics } from "../framework/device-metrics";
import type { ControllerStates } from "../manager/controller-states";
import { deviceMetricsIn } from "./device-metric-set";

const QUEUE_SECONDS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10];
const CLIENT_SECONDS = [0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.064, 0.128, 0.256, 0.512];
const [HOUR, DAY] = [3600, 86_400];
const CERTIFICATE_AGES = [
  ...[HOUR / 6, HOUR / 2, HOUR, 4 * HOUR],
  ...[1, 7, 30, 90, 180, 360, 1440].map((days) => days * DAY),
];
const OF_QUEUE = ["name"];
const OF_CHECK = ["name", "type"];
const OF_REQUEST = ["verb", "url"];

export class ManagerMetrics {
  private readonly set = new MetricSet();
  private readonly depth = this.set.gauge({
    name: "workqueue_depth",
    stability: "BETA",
    help: "Queued items.",
    labels: OF_QUEUE,
  });
  private readonly adds = this.set.counter({
    name: "workqueue_adds_total",
    stability: "BETA",
    help: "Added items.",
    labels: OF_QUEUE,
  });
  private readonly retries = this.set.counter({
    name: "workqueue_retries_total",
    stability: "BETA",
    help: "Retried items.",
    labels: OF_QUEUE,
  });
  private readonly waited = this.set.histogram({
    name: "workqueue_queue_duration_seconds",
    stability: "BETA",
    help: "Seconds that an item waited in the queue.",
    labels: OF_QUEUE,
    buckets: QUEUE_SECONDS,
  });
  private readonly worked = this.set.histogram({
    name: "workqueue_work_duration_seconds",
    stability: "BETA",
    help: "Seconds spent on an item.",
    labels: OF_QUEUE,
    buckets: QUEUE_SECONDS,
  });
  private readonly requests = this.set.counter({
    name: "rest_client_requests_total",
    help: "Attempts of requests to the API server.",
    labels: ["code", "method", "host"],
  });
  private readonly requestSeconds = this.set.histogram({
    name: "rest_client_request_duration_seconds",
    help: "Seconds until the API server started to answer.",
    labels: OF_REQUEST,
    buckets: CLIENT_SECONDS,
  });
  private readonly heldBackSeconds = this.set.histogram({
    name: "rest_client_rate_limiter_duration_seconds",
    help: "Seconds that requests were delayed by the client-side rate limit.",
    labels: OF_REQUEST,
    buckets: CLIENT_SECONDS,
  });
  private readonly pluginCalls = this.set.counter({
    name: "rest_client_exec_plugin_call_total",
    help: "Calls of credential plugins by outcome and exit code, which is 0 only after success.",
    labels: ["code", "call_status"],
  });
  private readonly pluginVerdicts = this.set.counter({
    name: "rest_client_exec_plugin_policy_call_total",
    help: "Verdicts of the policy for credential plugins.",
    labels: ["status"],
  });
  private readonly pluginCertificateAges = this.set.histogram({
    name: "rest_client_exec_plugin_certificate_rotation_age",
    help: "Age in seconds of client certificates of credential plugins when they were replaced.",
    labels: [],
    buckets: CERTIFICATE_AGES,
  });
  /** First end of validity of the certificates of credential plugins, in milliseconds since 1970. */
  private pluginExpiryMs = Number.POSITIVE_INFINITY;
  private readonly healthSet = new MetricSet();
  private readonly healthResult;
  private readonly healthResults;
  private readonly queues = new Map<string, RunningWork>();
  readonly devices: DeviceMetrics = deviceMetricsIn(this.set);

  /** @param of read at each scrape */
  constructor(of: {
    readonly name: string;
    leads(): boolean;
    readonly states: ControllerStates;
    /** Names of the metrics of health checks. */
    readonly health: Pick<Vocabulary["metricsNames"], "healthcheck" | "healthchecksTotal">;
  }) {
    this.healthResult = this.healthSet.gauge({
      name: of.health.healthcheck,
      help: "Result of a health check: 1 when it passed, else 0.",
      labels: OF_CHECK,
      stability: "STABLE",
    });
    this.healthResults = this.healthSet.counter({
      name: of.health.healthchecksTotal,
      help: "Results of health checks, by outcome.",
      labels: [...OF_CHECK, "status"],
      stability: "STABLE",
    });
    this.set.measureProcess();
    this.set.gauge(
      {
        name: "rest_client_exec_plugin_ttl_seconds",
        help: "Seconds until the first client certificate of a credential plugin expires; +Inf without one.",
        labels: [],
      },
      (gauge) => gauge.set({}, (this.pluginExpiryMs - systemClock.now()) / 1000),
    );
    this.standing(
      "workqueue_longest_running_processor_seconds",
      "Age in seconds of the oldest item in progress.",
      "longestWorkMs",
    );
    this.standing(
      "workqueue_unfinished_work_seconds",
      "Sum of the ages in seconds of all items in progress.",
      "unfinishedWorkMs",
    );
    this.set.gauge({ name: "leader_election_master_status", help: "1 for the leader.", labels: ["name"] }, (gauge) =>
      gauge.set({ name: of.name }, of.leads() ? 1 : 0),
    );
    this.set.gauge(
      {
        name: "running_managed_controllers",
        stability: "BETA",
        help: "1 for each controller that runs in this process.",
        labels: ["name", "manager"],
      },
      (gauge) => {
        for (const [name, { kind }] of of.states.all())
          gauge.set({ name, manager: of.name }, kind === "working" ? 1 : 0);
      },
    );
  }

  get contentType(): string {
    return this.set.contentType;
  }

  render(): Promise<string> {
    return this.set.render();
  }

  /** Returns the metrics of health checks. */
  renderHealth(): Promise<string> {
    return this.healthSet.render();
  }

  /** Records the result of a health check. @param type path of the checks, such as `livez` */
  checked(name: string, type: string, passed: boolean): void {
    this.healthResult.set({ name, type }, passed ? 1 : 0);
    this.healthResults.inc({ name, type, status: passed ? "success" : "error" });
  }

  readonly queue = (name: string): QueueMetrics => ({
    made: (queue) => void this.queues.set(name, queue),
    depth: (items) => this.depth.set({ name }, items),
    added: () => this.adds.inc({ name }),
    retried: () => this.retries.inc({ name }),
    taken: (seconds) => this.waited.labels({ name }).observe(seconds),
    done: (seconds) => this.worked.labels({ name }).observe(seconds),
  });

  readonly client: ClientMetrics = {
    tried: ({ method, host, url }, code, seconds) => {
      this.requests.inc({ code, method, host });
      this.requestSeconds.labels({ verb: method, url }).observe(seconds);
    },
    heldBack: ({ method, url }, seconds) => this.heldBackSeconds.labels({ verb: method, url }).observe(seconds),
    plugins: {
      judged: (status) => this.pluginVerdicts.inc({ status }),
      called: (call_status, code) => this.pluginCalls.inc({ code: String(code), call_status }),
      rotated: (seconds) => this.pluginCertificateAges.labels({}).observe(seconds),
      expires: (atMs = Number.POSITIVE_INFINITY) => {
        this.pluginExpiryMs = atMs;
      },
    },
  };

  /** Defines a gauge that is read from every queue at each scrape. */
  private standing(name: string, help: string, figure: keyof RunningWork): void {
    this.set.gauge({ name, help, labels: OF_QUEUE, stability: "BETA" }, (gauge) => {
      for (const [queue, standing] of this.queues) gauge.set({ name: queue }, standing[figure] / 1000);
    });
  }
}
