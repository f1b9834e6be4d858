// One flow schema at work: where its requests go, and what is told of them.
import type { FlowFigures, LevelOccupancy } from "./fairness-metrics";
import type { FlowSpec } from "./flow-spec";
import type { PriorityLevel } from "./priority-level";

export interface Flow {
  readonly spec: FlowSpec;
  readonly level: PriorityLevel;
  readonly occupancy: LevelOccupancy;
  readonly figures: FlowFigures;
  /** For answers: names and values in turn. */
  readonly headers: readonly string[];
}
