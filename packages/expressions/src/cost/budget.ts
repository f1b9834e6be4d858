// Cost limits of expressions. Two values are counted: the cost in the units of Kubernetes, which determines the results
// that users see, and the work of this engine, for operations whose cost does not reflect their time. Neither uses a
// clock: the validity of an object must not depend on the machine.
import { BudgetExceeded } from "../values/evaluation-error";

/**
 * Maximum cost units of one run of an expression. Source: PerCallLimit in
 * staging/src/k8s.io/apiserver/pkg/apis/cel/config.go.
 */
export const EXPRESSION_COST_MAX = 1_000_000;
/**
 * Maximum cost units of all expressions over one object. Source: RuntimeCELCostBudget in
 * staging/src/k8s.io/apiserver/pkg/apis/cel/config.go.
 */
const OBJECT_COST_MAX = 10_000_000;
/**
 * Maximum steps of one run, in addition to the cost units. A step and a unit each take some 50 ns, so that a run ends
 * within tens of milliseconds.
 */
const EXPRESSION_WORK_MAX = 350_000;
/** Maximum units and steps of all expressions over one object, which run without yielding to the event loop. */
const OBJECT_WORK_MAX = 1_500_000;

/** Budget of the expressions over one object. */
export class ObjectBudget {
  spent = 0;
  work = 0;
  private readonly costMax: number;
  private readonly workMax: number;

  /** @param workMax may be larger when the caller yields to the event loop between rules */
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

  /** Reports whether no further rule of the object may run. */
  get isSpent(): boolean {
    return this.costLeft <= 0 || this.workLeft <= 0;
  }

  spend(): void {
    this.spent = this.costMax;
  }
}

/** Budget of one run of an expression. */
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

  /** Resets the budget, when nothing has been booked yet. */
  renew(): void {
    this.cost = 0;
    this.work = 0;
    this.paid = undefined;
  }

  /** Charges cost units, before the step is executed and its memory is allocated. */
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

  /** Books the spent units and steps with the object's budget. */
  close(): void {
    const cost = Math.min(this.cost, this.costMax);
    this.object.spent += cost;
    this.object.work += cost + Math.min(this.work, this.workMax);
  }
}
