// One flow schema at work: where its requests go, and what is told of them.
import type { FairnessMetrics, FlowFigures, LevelOccupancy } from "./fairness-metrics";
import type { FlowSpec } from "./flow-spec";
import type { PriorityLevel } from "./priority-level";

export class Flow {
  private madeFigures: FlowFigures | undefined;
  private madeOccupancy: LevelOccupancy | undefined;

  /** @param headers for answers: names and values in turn */
  constructor(
    readonly spec: FlowSpec,
    readonly level: PriorityLevel,
    readonly headers: readonly string[],
    private readonly metrics: FairnessMetrics,
  ) {}

  /** Made with the first request: there may be many schemas that no request belongs to. */
  get figures(): FlowFigures {
    this.madeFigures ??= this.metrics.flow(this.spec.level, this.spec.name);
    return this.madeFigures;
  }

  get occupancy(): LevelOccupancy {
    this.madeOccupancy ??= this.metrics.level(this.spec.level);
    return this.madeOccupancy;
  }
}
