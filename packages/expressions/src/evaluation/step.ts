// Parts of a compiled program.

import type { Budget } from "../cost/budget";
import type { CelValue } from "../values/cel-value";

/** State of a run: the values of the variables by slot, and the remaining budget. */
export interface Frame {
  readonly slots: CelValue[];
  readonly budget: Budget;
}

/**
 * Evaluates a part of a program.
 * @throws EvaluationError, BudgetExceeded
 */
export type Step = (frame: Frame) => CelValue;

/** Argument of a call: evaluated in each run, or a literal. */
export interface Argument {
  readonly step: Step;
  readonly literal?: CelValue;
}
