// Limits a log line with one cause to the first occurrence and then one per minute.

const TELL_EVERY_MS = 60_000;

export class RareLine {
  private toldMs = Number.NEGATIVE_INFINITY;
  private untold = 0;

  /** @param nowMs monotonic clock, in milliseconds */
  constructor(private readonly nowMs: () => number) {}

  /** @returns the number of suppressed lines since the last one; undefined when this one is suppressed too */
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
