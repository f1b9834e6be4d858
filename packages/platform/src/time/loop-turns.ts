// Time slices of the event loop, shared by tasks that process many objects: lists, tables, starting watches. The total
// work in one turn is bounded, so that a request for a single object never waits behind a hundred lists.

export interface LoopTurnsOptions {
  /** Maximum duration of the work in one turn, in milliseconds. Default: 8. */
  readonly sliceMs?: number;
  /** Milliseconds of `performance.now`. */
  readonly now?: () => number;
}

export class LoopTurns {
  private readonly sliceMs: number;
  private readonly now: () => number;
  /** Start of the work in this turn. */
  private begunAt: number | undefined;
  private waiting: (() => void)[] = [];
  /** Index of the first caller in `waiting` that has not been resumed. */
  private nextWaiting = 0;

  constructor({ sliceMs = 8, now = () => performance.now() }: LoopTurnsOptions = {}) {
    this.sliceMs = sliceMs;
    this.now = now;
  }

  /**
   * Reports whether the slice of this turn is used up. Tasks check it between objects, and wait for `next` if it is.
   */
  get isOver(): boolean {
    const now = this.now();
    if (this.begunAt === undefined) {
      this.begin(now);
      return false;
    }
    return now - this.begunAt >= this.sliceMs;
  }

  /** Returns the time used by `isOver` and `next`. */
  get nowMs(): number {
    return this.now();
  }

  /** Reports whether work on a single object that started at `startMs` has used a whole slice. */
  isOverSince(startMs: number): boolean {
    return this.now() - startMs >= this.sliceMs;
  }

  /** Resolves in a later turn, one caller per turn. */
  next(): Promise<void> {
    if (this.begunAt === undefined) this.begin(this.now());
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private begin(now: number): void {
    this.begunAt = now;
    setImmediate(this.turn);
  }

  private readonly turn = (): void => {
    this.begunAt = undefined;
    const resume = this.waiting[this.nextWaiting];
    if (resume === undefined) return;
    this.nextWaiting += 1;
    if (this.nextWaiting === this.waiting.length) {
      this.waiting = [];
      this.nextWaiting = 0;
    }
    this.begin(this.now());
    resume();
  };
}
