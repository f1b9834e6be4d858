// Metrics of flows and priority levels. Each label set is resolved once. Source:
// staging/src/k8s.io/apiserver/pkg/util/flowcontrol/metrics/metrics.go.
import type { NamedMetrics } from "@orch/platform";
import type { PriorityLevel } from "../levels/priority-level";
import type { Refusal } from "../queues/fair-queues";
import {
  kindOccupancy,
  type LevelOccupancy,
  levelOccupancy,
  type OccupancyMetrics,
  type PhaseOccupancy,
} from "./level-occupancy";

/** Metrics of the server that flow control records. */
export type FlowControlMetrics = NamedMetrics<
  | "apiserver_dropped_requests_total"
  | "apiserver_flowcontrol_dispatched_requests_total"
  | "apiserver_flowcontrol_rejected_requests_total",
  | "apiserver_current_inflight_requests"
  | "apiserver_current_inqueue_requests"
  | "apiserver_flowcontrol_current_inqueue_seats"
  | "apiserver_flowcontrol_request_concurrency_in_use"
  | "apiserver_flowcontrol_current_executing_requests"
  | "apiserver_flowcontrol_current_inqueue_requests"
  | "apiserver_flowcontrol_current_executing_seats"
  | "apiserver_flowcontrol_current_limit_seats"
  | "apiserver_flowcontrol_demand_seats_average"
  | "apiserver_flowcontrol_demand_seats_high_watermark"
  | "apiserver_flowcontrol_demand_seats_smoothed"
  | "apiserver_flowcontrol_demand_seats_stdev"
  | "apiserver_flowcontrol_seat_fair_frac"
  | "apiserver_flowcontrol_target_seats"
  | "apiserver_flowcontrol_lower_limit_seats"
  | "apiserver_flowcontrol_nominal_limit_seats"
  | "apiserver_flowcontrol_request_concurrency_limit"
  | "apiserver_flowcontrol_upper_limit_seats",
  | "apiserver_flowcontrol_request_execution_seconds"
  | "apiserver_flowcontrol_watch_count_samples"
  | "apiserver_flowcontrol_work_estimated_seats"
  | "apiserver_flowcontrol_request_queue_length_after_enqueue"
  | "apiserver_flowcontrol_request_wait_duration_seconds"
> &
  OccupancyMetrics & {
    /** Returns the values of the labels that a metric has in the release. */
    labelsIn(
      name: "apiserver_flowcontrol_request_execution_seconds",
      values: Readonly<Record<string, string>>,
    ): Readonly<Record<string, string>>;
    /** Removes the series whose labels match. */
    forget(isGone: (labels: Readonly<Partial<Record<string, string | number>>>) => boolean): void;
  };

/** Metrics of one flow schema on one priority level. */
export interface FlowFigures {
  readonly labels: { readonly priority_level: string; readonly flow_schema: string };
  executing: number;
  /** Seats of the executing requests. */
  executingSeats: number;
  waiting: number;
  /** Seats of the waiting requests. */
  waitingSeats: number;
  /** Number of requests since the last count. */
  dispatched: number;
  readonly countDispatched: (count: number) => void;
  readonly executionSeconds: Readonly<Record<"regular" | "watch", { observe(value: number): void }>>;
  readonly estimatedSeats: { observe(value: number): void };
  /** Watchers that may receive a change. */
  readonly watchers: { observe(value: number): void };
  /** Wait of the executed requests. */
  readonly waitSeconds: { observe(value: number): void };
  readonly givenUpSeconds: { observe(value: number): void };
  readonly queueLength: { observe(value: number): void };
  rejected(why: Refusal): void;
}

/** Metrics of the seats of a priority level. */
const LIMITS = [
  ["apiserver_flowcontrol_request_concurrency_limit", ({ bounds }) => bounds.nominal],
  ["apiserver_flowcontrol_nominal_limit_seats", ({ bounds }) => bounds.nominal],
  ["apiserver_flowcontrol_lower_limit_seats", ({ bounds }) => bounds.least],
  ["apiserver_flowcontrol_upper_limit_seats", ({ bounds }) => bounds.most],
  ["apiserver_flowcontrol_current_limit_seats", ({ queues }) => queues.limit],
] as const satisfies readonly (readonly [string, (level: PriorityLevel) => number])[];

/** Metrics of the demand for seats, after each distribution. */
const DEMANDS = [
  ["apiserver_flowcontrol_demand_seats_high_watermark", ({ highest }) => highest],
  ["apiserver_flowcontrol_demand_seats_average", ({ average }) => average],
  ["apiserver_flowcontrol_demand_seats_stdev", ({ deviation }) => deviation],
  ["apiserver_flowcontrol_demand_seats_smoothed", ({ usual }) => usual],
  ["apiserver_flowcontrol_target_seats", ({ target }) => target],
] as const satisfies readonly (readonly [string, (lent: NonNullable<PriorityLevel["lent"]>) => number])[];

export const REQUEST_KINDS = ["readOnly", "mutating"] as const;
export type RequestKind = (typeof REQUEST_KINDS)[number];

export class FairnessMetrics {
  private readonly flows = new Map<string, Map<string, FlowFigures>>();
  private readonly levels = new Map<string, LevelOccupancy>();
  readonly kinds: Readonly<Record<RequestKind, PhaseOccupancy>>;
  private shownLimits: ReadonlySet<string> = new Set();

  constructor(
    private readonly metrics: FlowControlMetrics,
    private readonly nowMs: () => number,
  ) {
    const ofKind = (request_kind: RequestKind) => kindOccupancy(metrics, request_kind, nowMs());
    this.kinds = { readOnly: ofKind("readOnly"), mutating: ofKind("mutating") };
  }

  /** Label sets are created with the first request. */
  flow(level: string, schema: string): FlowFigures {
    let bySchema = this.flows.get(level);
    if (bySchema === undefined) {
      bySchema = new Map();
      this.flows.set(level, bySchema);
    }
    let figures = bySchema.get(schema);
    if (figures === undefined) {
      figures = this.figuresOf({ priority_level: level, flow_schema: schema });
      bySchema.set(schema, figures);
    }
    return figures;
  }

  level(name: string): LevelOccupancy {
    let known = this.levels.get(name);
    if (known === undefined) {
      known = levelOccupancy(this.metrics, name, this.nowMs());
      this.levels.set(name, known);
    }
    return known;
  }

  /** Called once a second: updates the gauges. */
  show(levels: readonly PriorityLevel[], fairFraction: number): void {
    const { metrics } = this;
    for (const { name: priority_level, lent } of levels) {
      if (lent === undefined) continue;
      for (const [metric, value] of DEMANDS) metrics.gauge(metric).set({ priority_level }, value(lent));
    }
    metrics.gauge("apiserver_flowcontrol_seat_fair_frac").set({}, fairFraction);
    const limited = levels.filter((level) => level.limited !== undefined);
    const names = new Set(limited.map(({ name }) => name));
    for (const [metric, seats] of LIMITS) {
      const gauge = metrics.gauge(metric);
      for (const level of limited) gauge.set({ priority_level: level.name }, seats(level));
      for (const priority_level of this.shownLimits) if (!names.has(priority_level)) gauge.remove({ priority_level });
    }
    this.shownLimits = names;
    const executing = metrics.gauge("apiserver_flowcontrol_current_executing_requests");
    const executingSeats = metrics.gauge("apiserver_flowcontrol_current_executing_seats");
    const seatsInUse = metrics.gauge("apiserver_flowcontrol_request_concurrency_in_use");
    const waiting = metrics.gauge("apiserver_flowcontrol_current_inqueue_requests");
    const waitingSeats = metrics.gauge("apiserver_flowcontrol_current_inqueue_seats");
    for (const bySchema of this.flows.values()) {
      for (const figures of bySchema.values()) {
        figures.countDispatched(figures.dispatched);
        figures.dispatched = 0;
        executing.set(figures.labels, figures.executing);
        executingSeats.set(figures.labels, figures.executingSeats);
        seatsInUse.set(figures.labels, figures.executingSeats);
        waiting.set(figures.labels, figures.waiting);
        waitingSeats.set(figures.labels, figures.waitingSeats);
      }
    }
    const nowMs = this.nowMs();
    for (const level of levels) this.levels.get(level.name)?.seats(level, nowMs);
    for (const { executing, waiting } of [...this.levels.values(), ...Object.values(this.kinds)]) {
      executing.look(nowMs);
      waiting.look(nowMs);
    }
  }

  /** Drops the label sets of deleted schemas and levels. */
  forget(isThere: { level(name: string): boolean; flow(level: string, schema: string): boolean }): void {
    let gone = false;
    for (const [level, bySchema] of this.flows) {
      for (const [schema, { executing, waiting }] of bySchema) {
        if (executing + waiting > 0 || isThere.flow(level, schema)) continue;
        bySchema.delete(schema);
        gone = true;
      }
      if (bySchema.size === 0) this.flows.delete(level);
    }
    for (const name of this.levels.keys()) {
      if (isThere.level(name)) continue;
      this.levels.delete(name);
      gone = true;
    }
    if (!gone) return;
    this.metrics.forget(({ priority_level, flow_schema }) => {
      if (priority_level === undefined) return false;
      const level = String(priority_level);
      if (flow_schema === undefined) return !this.levels.has(level) && !isThere.level(level);
      return this.flows.get(level)?.has(String(flow_schema)) !== true;
    });
  }

  private figuresOf(labels: FlowFigures["labels"]): FlowFigures {
    const { metrics } = this;
    const waits = metrics.histogram("apiserver_flowcontrol_request_wait_duration_seconds");
    const rejected = metrics.counter("apiserver_flowcontrol_rejected_requests_total");
    const execution = "apiserver_flowcontrol_request_execution_seconds";
    const executionOf = (type: string) =>
      metrics.histogram(execution).labels(metrics.labelsIn(execution, { ...labels, type }));
    const dispatched = metrics.counter("apiserver_flowcontrol_dispatched_requests_total").labels(labels);
    return {
      labels,
      executing: 0,
      executingSeats: 0,
      waiting: 0,
      waitingSeats: 0,
      dispatched: 0,
      countDispatched: (count) => dispatched.inc(count),
      executionSeconds: { regular: executionOf("regular"), watch: executionOf("watch") },
      estimatedSeats: metrics.histogram("apiserver_flowcontrol_work_estimated_seats").labels(labels),
      watchers: metrics.histogram("apiserver_flowcontrol_watch_count_samples").labels(labels),
      waitSeconds: waits.labels({ ...labels, execute: "true" }),
      givenUpSeconds: waits.labels({ ...labels, execute: "false" }),
      queueLength: metrics.histogram("apiserver_flowcontrol_request_queue_length_after_enqueue").labels(labels),
      rejected: (reason) => rejected.inc({ ...labels, reason }),
    };
  }
}
