// Writes one after the other, a few at a time: thousands of definitions may be there to say something of.

const WRITERS = 8;

export class WriteQueue {
  private writing = 0;
  private readonly waiting: (() => Promise<void>)[] = [];

  /** @param ending what has not begun by then is not done */
  constructor(private readonly ending: AbortSignal) {}

  /**
   * Resolves when the write is done; never for a write that has not begun when the queue ends.
   * @param write rejects never
   */
  add(write: () => Promise<void>): Promise<void> {
    const done = new Promise<void>((resolve) => this.waiting.push(() => write().then(resolve)));
    void this.next();
    return done;
  }

  private async next(): Promise<void> {
    if (this.writing >= WRITERS || this.ending.aborted) return;
    const write = this.waiting.shift();
    if (write === undefined) return;
    this.writing += 1;
    await write();
    this.writing -= 1;
    void this.next();
  }
}
