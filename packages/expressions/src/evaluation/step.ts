// A part of a program: what it works on, and what it answers.
import type { CelValue } from "../values/cel-value";
import type { Budget } from "./budget";

/** What a run works on: the variables at their places, and what it may still spend. */
export interface Frame {
  readonly slots: CelValue[];
  readonly budget: Budget;
}

/** @throws EvaluationError, BudgetExceeded */
export type Step = (frame: Frame) => CelValue;

/** What a function is given: found out in each run, or the same in all of them. */
export interface Argument {
  readonly step: Step;
  readonly literal?: CelValue;
}
