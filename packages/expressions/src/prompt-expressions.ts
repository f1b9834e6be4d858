// Whether all of some expressions hold, asked for as little as that can cost: of hundreds of policies most have nothing against a request.
// Nothing is told of those that do not hold, fail, wait for something or cost much: they are to be evaluated one by one.
import { Budget, ObjectBudget } from "./evaluation/budget";
import { BudgetExceeded, EvaluationError } from "./evaluation/evaluation-error";
import { PendingValue } from "./evaluation/pending-value";
import type { Frame, Step } from "./evaluation/step";
import type { RequestExpression } from "./request-expression";
import type { CelValue } from "./values/cel-value";

/** Units and steps of all of them together: about half a millisecond, which is lost where they do not all hold. */
const WORK_MAX = 10_000;

export class PromptExpressions {
  private readonly programs: readonly Step[];

  /** @param expressions of one site */
  constructor(expressions: readonly RequestExpression[]) {
    this.programs = expressions.map(({ program }) => program);
  }

  get size(): number {
    return this.programs.length;
  }

  /** Never throws for what an expression or a value brings. */
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

/** What expressions run over, one after another. */
export class PromptRun {
  readonly frame: Frame;

  /** @param values in the order of the site's variables */
  constructor(values: readonly CelValue[]) {
    this.frame = {
      slots: values.slice(),
      budget: new Budget(new ObjectBudget({ costMax: WORK_MAX, workMax: WORK_MAX })),
    };
  }

  /** Units and steps of those that were asked last. */
  get work(): number {
    const { cost, work } = this.frame.budget;
    return cost + work;
  }
}
