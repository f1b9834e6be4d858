// A value that is not available yet, or takes too long to compute synchronously. It ends the run; unlike errors of the
// language it is not absorbed by `&&`, `||` and folds. The run is repeated when the value is available.
export class PendingValue {
  readonly code = "PendingValue";
  /**
   * @param arrive resolves when the next run will find the value; the caller may start other work before awaiting it
   */
  constructor(readonly arrive: () => Promise<void>) {}
}
