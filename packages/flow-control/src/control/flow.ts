// A flow schema in use: its priority level and its metrics.

import type { PriorityLevel } from "../levels/priority-level";
import type { FlowSpec } from "../schemas/flow-spec";
import type { FairnessMetrics, FlowFigures } from "./fairness-metrics";
import type { LevelOccupancy } from "./level-occupancy";

export class Flow {
  private madeFigures: FlowFigures | undefined;
  private madeOccupancy: LevelOccupancy | undefined;

  /** @param headers headers of answers, names and values in turn */
  constructor(
    readonly spec: FlowSpec,
    readonly level: PriorityLevel,
    readonly headers: readonly string[],
    private readonly metrics: FairnessMetrics,
  ) {}

  /** Created with the first request: many schemas may match no request. */
  get figures(): FlowFigures {
    this.madeFigures ??= this.metrics.flow(this.spec.level, this.spec.name);
    return this.madeFigures;
  }

  get occupancy(): LevelOccupancy {
    this.madeOccupancy ??= this.metrics.level(this.spec.level);
    return this.madeOccupancy;
  }
}
