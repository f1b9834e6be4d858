// Figures of the charts: values of gauges, and rates of counters between two looks at the metrics.
import type { Metrics } from "./metrics-text";
import { type Buckets, quantileOf } from "./quantile";

/** The metrics of one moment. */
export interface Look {
  /** Milliseconds of a monotonic clock. */
  readonly atMs: number;
  /** Start of the process that answered: counters of two processes are not compared. */
  readonly startedAt: number | undefined;
  readonly requests: number;
  readonly errors: number;
  readonly durations: Buckets;
  readonly cpuSeconds: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly watchers: number;
  readonly lagSeconds: number | undefined;
}

const REQUESTS = "apiserver_request_total";
export const DURATIONS = "apiserver_request_duration_seconds_bucket";
const WATCHERS = ["apiserver_registered_watchers", "apiserver_longrunning_requests"];
const LAG = "nodejs_eventloop_lag_p99_seconds";
const [CPU, MEMORY, START] = [
  "process_cpu_seconds_total",
  "process_resident_memory_bytes",
  "process_start_time_seconds",
] as const;
export const LOOK_NAMES = [REQUESTS, DURATIONS, ...WATCHERS, LAG, CPU, MEMORY, START];

/** Requests that last as long as their client wants say nothing about latency. */
const LASTING = new Set(["WATCH", "WATCHLIST", "CONNECT"]);
const ERRORS_FROM = 500;

export function lookAt(metrics: Metrics, atMs: number): Look {
  const durations = new Map<number, number>();
  for (const { labels, value } of metrics.of(DURATIONS)) {
    if (LASTING.has(labels["verb"] ?? "")) continue;
    const bound = labels["le"] === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels["le"]);
    durations.set(bound, (durations.get(bound) ?? 0) + value);
  }
  let [requests, errors] = [0, 0];
  for (const { labels, value } of metrics.of(REQUESTS)) {
    requests += value;
    if (Number(labels["code"]) >= ERRORS_FROM) errors += value;
  }
  return {
    ...{ atMs, requests, errors, durations },
    startedAt: metrics.total(START),
    cpuSeconds: metrics.total(CPU),
    memoryBytes: metrics.total(MEMORY),
    // The metric of a resource begins with its first watch.
    watchers: metrics.total(...WATCHERS) ?? 0,
    lagSeconds: metrics.total(LAG),
  };
}

/** Values of one moment. Those that the server does not tell, and rates of the first look, are undefined. */
export interface Figures {
  readonly requests: number | undefined;
  readonly errors: number | undefined;
  readonly median: number | undefined;
  readonly slowest: number | undefined;
  readonly watchers: number;
  readonly lag: number | undefined;
  readonly cpu: number | undefined;
  readonly memory: number | undefined;
}

export function figuresOf(before: Look | undefined, now: Look): Figures {
  const gauges = { watchers: now.watchers, lag: now.lagSeconds, memory: now.memoryBytes };
  if (before === undefined || before.startedAt !== now.startedAt || now.atMs <= before.atMs)
    return { ...gauges, requests: undefined, errors: undefined, median: undefined, slowest: undefined, cpu: undefined };
  const seconds = (now.atMs - before.atMs) / 1000;
  const durations = new Map(
    [...now.durations].map(([bound, count]) => [bound, increase(before.durations.get(bound) ?? 0, count)]),
  );
  const isCpuKnown = before.cpuSeconds !== undefined && now.cpuSeconds !== undefined;
  return {
    ...gauges,
    requests: increase(before.requests, now.requests) / seconds,
    errors: increase(before.errors, now.errors) / seconds,
    median: quantileOf(0.5, durations),
    slowest: quantileOf(0.99, durations),
    cpu: isCpuKnown ? increase(before.cpuSeconds, now.cpuSeconds) / seconds : undefined,
  };
}

/** Returns what was added to a counter. One that has become smaller has begun at zero again. */
export const increase = (before: number, now: number): number => (now >= before ? now - before : now);

export interface Point {
  readonly atMs: number;
  readonly figures: Figures;
}

/** Points that are kept: 20 minutes, when one comes every 5 seconds. */
const POINTS_MAX = 240;

/** The last points of the charts. */
export class FigureHistory {
  private last: Look | undefined;
  private kept: readonly Point[] = [];

  add(look: Look): readonly Point[] {
    const point = { atMs: look.atMs, figures: figuresOf(this.last, look) };
    this.last = look;
    this.kept = [...this.kept.slice(1 - POINTS_MAX), point];
    return this.kept;
  }
}
