// A line of the log about what many requests meet for one reason: the first of them tells of it, and then one a minute.

const TELL_EVERY_MS = 60_000;

export class RareLine {
  private toldMs = Number.NEGATIVE_INFINITY;
  private untold = 0;

  /** @param nowMs of a clock that does not go back */
  constructor(private readonly nowMs: () => number) {}

  /** @returns how many were not told since the last one; undefined: nor is this one */
  due(): number | undefined {
    if (this.nowMs() - this.toldMs < TELL_EVERY_MS) {
      this.untold += 1;
      return undefined;
    }
    const { untold } = this;
    this.toldMs = this.nowMs();
    this.untold = 0;
    return untold;
  }
}
