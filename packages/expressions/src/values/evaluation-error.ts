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

/**
 * A value that is not available yet, or takes too long to compute synchronously. It ends the run; unlike errors of the
 * language it is not absorbed by `&&`, `||` and folds. The run is repeated when the value is available.
 */
export class PendingValue {
  readonly code = "PendingValue";
  /**
   * @param arrive resolves when the next run will find the value; the caller may start other work before awaiting it
   */
  constructor(readonly arrive: () => Promise<void>) {}
}
