// What an expression may cost, counted in each of its steps. Two counts: the cost as the field counts it, which decides what users see,
// and the work of this engine where the field's count says nothing about the time it takes. Neither looks at a clock: whether an object
// is valid must not depend on the machine.
import { BudgetExceeded } from "./evaluation-error";

/** Cost units of one run of one expression. Source: the field's limit for each call. */
export const EXPRESSION_COST_MAX = 1_000_000;
/** Cost units of all expressions over one object. Source: the field's limit. */
export const OBJECT_COST_MAX = 10_000_000;
/** Steps beside the cost units, of one run: each takes some 50 ns, as does a unit, so that a run ends within tens of milliseconds. */
const EXPRESSION_WORK_MAX = 350_000;
/** Units and steps of all expressions over one object: they run without a turn of the event loop in between. */
export const OBJECT_WORK_MAX = 1_500_000;

/** What the expressions over one object may cost together. */
export class ObjectBudget {
  spent = 0;
  work = 0;
  private readonly costMax: number;
  private readonly workMax: number;

  /** @param workMax more for who gives the event loop its turns between two rules */
  constructor({ costMax = OBJECT_COST_MAX, workMax = OBJECT_WORK_MAX }: { costMax?: number; workMax?: number } = {}) {
    this.costMax = costMax;
    this.workMax = workMax;
  }

  get costLeft(): number {
    return this.costMax - this.spent;
  }

  get workLeft(): number {
    return this.workMax - this.work;
  }

  /** No further rule of the object may run. */
  get isSpent(): boolean {
    return this.costLeft <= 0 || this.workLeft <= 0;
  }

  spend(): void {
    this.spent = this.costMax;
  }
}

/** Of one run of one expression. */
export class Budget {
  cost = 0;
  work = 0;
  paid: Set<string> | undefined;
  private readonly object: ObjectBudget;
  private readonly costMax: number;
  private readonly workMax: number;

  constructor(object: ObjectBudget) {
    this.object = object;
    this.costMax = Math.min(EXPRESSION_COST_MAX, object.costLeft, object.workLeft);
    this.workMax = Math.min(EXPRESSION_WORK_MAX, object.workLeft);
  }

  /** As new, where nothing of it has been booked. */
  renew(): void {
    this.cost = 0;
    this.work = 0;
    this.paid = undefined;
  }

  /** Asked before the step is taken, and before its memory. */
  charge(units: number): void {
    this.cost += units;
    if (this.cost > this.costMax)
      throw new BudgetExceeded(this.costMax < EXPRESSION_COST_MAX ? "object" : "expression");
  }

  step(steps: number): void {
    this.work += steps;
    if (this.work > this.workMax)
      throw new BudgetExceeded(this.workMax < EXPRESSION_WORK_MAX ? "object" : "expression");
  }

  /** Books what was spent with the object's budget. */
  close(): void {
    const cost = Math.min(this.cost, this.costMax);
    this.object.spent += cost;
    this.object.work += cost + Math.min(this.work, this.workMax);
  }
}
