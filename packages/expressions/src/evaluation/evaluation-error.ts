// What ends the run of an expression without a value.

/**
 * An error of the language, which `&&`, `||` and the folds may absorb. It is no `Error`: taking the stack for each would cost more than
 * the expression around it.
 */
export class EvaluationError {
  readonly code = "EvaluationFailed";
  constructor(readonly message: string) {}
}

/** Ends the run at once: nothing absorbs it. */
export class BudgetExceeded {
  readonly code = "BudgetExceeded";
  readonly message = "operation cancelled: actual cost limit exceeded";
  constructor(readonly scope: "expression" | "object") {}
}

export function fail(message: string): never {
  throw new EvaluationError(message);
}

export const noSuchOverload = (name: string): never => fail(`no such overload: ${name}`);
