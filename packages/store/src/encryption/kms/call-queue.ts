// Limits concurrent calls and runs them in order of arrival. When the peer does not answer, all waiting calls fail at
// once instead of each waiting for its timeout.

export interface CallTurnsOptions {
  readonly runningMax: number;
  readonly waitingMax: number;
  /** Creates the error for a call that finds the queue full. */
  readonly tooMany: () => Error;
}

interface Waiting {
  begin(): void;
  fail(error: unknown): void;
}

export class CallQueue {
  private running = 0;
  /** In order of arrival. */
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly options: CallTurnsOptions) {}

  /** @throws errors of `call`; `tooMany`; the error passed to `failWaiting` */
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

  /** Passes the turn of a finished call to the call that waits longest. */
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
