// Fast check whether a set of expressions all evaluate to true, for hundreds of policies of which most do not object to
// a request. A negative result has no details: when any expression is false, fails, waits for a value or exceeds the
// budget, the expressions are evaluated one by one.
import { Budget, ObjectBudget } from "../cost/budget";
import type { Frame, Step } from "../evaluation/step";
import type { CelValue } from "../values/cel-value";
import { BudgetExceeded, EvaluationError, PendingValue } from "../values/evaluation-error";
import type { RequestExpression } from "./request-expression";

/**
 * Maximum units and steps of all expressions together: about half a millisecond, which is wasted when the result is
 * negative.
 */
const WORK_MAX = 10_000;

export class PromptExpressions {
  private readonly programs: readonly Step[];

  /** @param expressions expressions compiled for the same site */
  constructor(expressions: readonly RequestExpression[]) {
    this.programs = expressions.map(({ program }) => program);
  }

  get size(): number {
    return this.programs.length;
  }

  /** Reports whether all expressions evaluate to true. Does not throw for any expression or value. */
  hold({ frame }: PromptRun): boolean {
    const { programs } = this;
    frame.budget.renew();
    try {
      for (let index = 0; index < programs.length; index += 1)
        if ((programs[index] as Step)(frame) !== true) return false;
      return true;
    } catch (error) {
      if (error instanceof EvaluationError || error instanceof BudgetExceeded || error instanceof PendingValue)
        return false;
      throw error;
    }
  }
}

/** State in which expressions run one after another. */
export class PromptRun {
  readonly frame: Frame;

  /** @param values in the order of the site's variables */
  constructor(values: readonly CelValue[]) {
    this.frame = {
      slots: values.slice(),
      budget: new Budget(new ObjectBudget({ costMax: WORK_MAX, workMax: WORK_MAX })),
    };
  }

  /** Units and steps spent by the last check. */
  get work(): number {
    const { cost, work } = this.frame.budget;
    return cost + work;
  }
}
