// What an expression may cost, counted in each of its steps. Two counts: the cost as the field counts it, which decides what users see,
// and the work of this engine where the field's count says nothing about the time it takes. Neither looks at a clock: whether an object
// is valid must not depend on the machine.
import { BudgetExceeded } from "./evaluation-error";

/** Cost units of one run of one expression. Source: the field's limit for each call. */
export const EXPRESSION_COST_MAX = 1_000_000;
/** Cost units of all expressions over one object. */
export const OBJECT_COST_MAX = 10_000_000;
/** Steps of this engine, each under 50 ns, so that a run ends within tens of milliseconds. */
const WORK_MAX = 1_000_000;

/** What the expressions over one object may cost together. */
export class ObjectBudget {
  spent = 0;
  constructor(readonly max: number = OBJECT_COST_MAX) {}
}

/** Of one run of one expression. */
export class Budget {
  cost = 0;
  work = 0;
  private readonly max: number;

  constructor(
    private readonly object: ObjectBudget,
    expressionMax: number = EXPRESSION_COST_MAX,
  ) {
    this.max = Math.min(expressionMax, object.max - object.spent);
  }

  /** Asked before the step is taken, and before its memory. */
  charge(units: number): void {
    this.cost += units;
    if (this.cost > this.max) throw new BudgetExceeded(this.object.spent + this.cost > this.object.max ? "object" : "expression");
  }

  step(steps: number): void {
    this.work += steps;
    if (this.work > WORK_MAX) throw new BudgetExceeded("expression");
  }

  /** Books what was spent with the object's budget. */
  close(): void {
    this.object.spent = Math.min(this.object.max, this.object.spent + Math.min(this.cost, this.max));
  }
}
