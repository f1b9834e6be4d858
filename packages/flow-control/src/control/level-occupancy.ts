// Occupancy of priority levels and request kinds over time. Releases since 1.26 weigh each value by the nanoseconds for
// which it held; earlier ones sample it every millisecond. Source:
// staging/src/k8s.io/apiserver/pkg/util/flowcontrol/metrics/timing_ratio_histogram.go.
import type { NamedMetrics } from "@orch/platform";
import type { PriorityLevel } from "../levels/priority-level";
import { Occupancy } from "../queues/occupancy";

type Of = "priority_level" | "read_vs_write";

const WEIGHTED = {
  priority_level: "apiserver_flowcontrol_priority_level_request_utilization",
  read_vs_write: "apiserver_flowcontrol_read_vs_write_current_requests",
} as const satisfies Readonly<Record<Of, string>>;
const SEATS = "apiserver_flowcontrol_priority_level_seat_utilization";
const DEMAND = "apiserver_flowcontrol_demand_seats";
const NANOSECONDS = 1_000_000;

export type OccupancyMetrics = NamedMetrics<
  never,
  never,
  | (typeof WEIGHTED)[Of]
  | typeof SEATS
  | typeof DEMAND
  | `apiserver_flowcontrol_${Of}_request_count_${"samples" | "watermarks"}`
> & {
  /** Whether the release has the metric. */
  serves(name: typeof SEATS): boolean;
};

export interface PhaseOccupancy {
  readonly executing: Occupancy;
  readonly waiting: Occupancy;
}

export interface LevelOccupancy extends PhaseOccupancy {
  /** Records the occupied and wanted seats. */
  seats(level: PriorityLevel, nowMs: number): void;
}

export const kindOccupancy = (metrics: OccupancyMetrics, request_kind: string, nowMs: number): PhaseOccupancy =>
  phases(metrics, "read_vs_write", { request_kind }, nowMs);

export function levelOccupancy(metrics: OccupancyMetrics, priority_level: string, nowMs: number): LevelOccupancy {
  const ofRequests = phases(metrics, "priority_level", { priority_level }, nowMs);
  if (!metrics.serves(SEATS)) return { ...ofRequests, seats: () => {} };
  const occupied = weighted(metrics.histogram(SEATS).labels({ phase: "executing", priority_level }), nowMs);
  const wanted = weighted(metrics.histogram(DEMAND).labels({ priority_level }), nowMs);
  return {
    ...ofRequests,
    seats({ queues, bounds, seatsWanted }, now) {
      occupied.set(ratio(queues.seatsInUse, queues.limit), now);
      wanted.set(ratio(seatsWanted, bounds.nominal), now);
    },
  };
}

const ratio = (seats: number, of: number): number => (of > 0 ? seats / of : seats);

function phases(
  metrics: OccupancyMetrics,
  of: Of,
  labels: Readonly<Record<string, string>>,
  nowMs: number,
): PhaseOccupancy {
  const made = metrics.serves(SEATS)
    ? (phase: string) => weighted(metrics.histogram(WEIGHTED[of]).labels({ phase, ...labels }), nowMs)
    : (phase: string) => sampled(metrics, of, { phase, ...labels }, nowMs);
  return { executing: made("executing"), waiting: made("waiting") };
}

interface Series {
  observe(value: number, times?: number): void;
}

const weighted = (series: Series, nowMs: number): Occupancy =>
  new Occupancy({ samples: { observe: (value, times = 1) => series.observe(value, times * NANOSECONDS) } }, nowMs);

function sampled(
  metrics: OccupancyMetrics,
  of: Of,
  labels: Readonly<Record<string, string>>,
  nowMs: number,
): Occupancy {
  const samples = metrics.histogram(`apiserver_flowcontrol_${of}_request_count_samples`);
  const marks = metrics.histogram(`apiserver_flowcontrol_${of}_request_count_watermarks`);
  return new Occupancy(
    {
      samples: samples.labels(labels),
      marks: { lowest: marks.labels({ mark: "low", ...labels }), highest: marks.labels({ mark: "high", ...labels }) },
    },
    nowMs,
  );
}
