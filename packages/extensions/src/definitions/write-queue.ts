// A queue of writes with a bounded number in parallel: thousands of definitions may need status writes.

const WRITERS = 8;

export class WriteQueue {
  private writing = 0;
  private readonly waiting: (() => Promise<void>)[] = [];

  /** @param ending drops writes that have not started when it is aborted */
  constructor(private readonly ending: AbortSignal) {}

  /**
   * Queues a write. Resolves when it is done; never for a write that had not started when the queue ended.
   * @param write never rejects
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
