// So many calls at a time, in the order in which they came; those that wait for a peer that answers nobody are told so at once, instead of
// each waiting its time out.

export interface CallTurnsOptions {
  readonly runningMax: number;
  readonly waitingMax: number;
  /** Made where there is no room to wait. */
  readonly tooMany: () => Error;
}

interface Waiting {
  begin(): void;
  fail(error: unknown): void;
}

export class CallTurns {
  private running = 0;
  /** In the order in which they came. */
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly options: CallTurnsOptions) {}

  /** @throws what `call` throws; `tooMany`; what `failWaiting` is told */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.running >= this.options.runningMax) await this.turn();
    else this.running += 1;
    try {
      return await call();
    } finally {
      this.handOn();
    }
  }

  failWaiting(error: unknown): void {
    const all = [...this.waiting];
    this.waiting.clear();
    for (const each of all) each.fail(error);
  }

  private turn(): Promise<void> {
    if (this.waiting.size >= this.options.waitingMax) return Promise.reject(this.options.tooMany());
    return new Promise((begin, fail) => this.waiting.add({ begin, fail }));
  }

  /** A turn goes from who has ended to who waits longest. */
  private handOn(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.running -= 1;
      return;
    }
    this.waiting.delete(next);
    next.begin();
  }
}
