// Errors that end a run without a value.

/**
 * An error of the language, which `&&`, `||` and folds may absorb. Not an `Error`, because recording its stack would
 * cost more than the surrounding expression.
 */
export class EvaluationError {
  readonly code = "EvaluationFailed";
  constructor(readonly message: string) {}
}

/** Ends the run immediately; nothing absorbs it. */
export class BudgetExceeded {
  readonly code = "BudgetExceeded";
  readonly message = "operation cancelled: actual cost limit exceeded";
  constructor(readonly scope: "expression" | "object") {}
}

export function fail(message: string): never {
  throw new EvaluationError(message);
}

export const noSuchOverload = (name: string): never => fail(`no such overload: ${name}`);
