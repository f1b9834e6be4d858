// A value that is not there yet, or takes too long to be made in the middle of something else. It ends the run, unlike errors of the
// language, which `&&`, `||` and folds absorb; when it is there, the run begins anew.
export class PendingValue {
  readonly code = "PendingValue";
  /** @param arrive resolves when the next run will find the value; whoever waits may begin other things before */
  constructor(readonly arrive: () => Promise<void>) {}
}
