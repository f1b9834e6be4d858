// Turns of the event loop, shared out among those who work on many objects at a time: lists, tables, the start of watches. What all of
// them do in one turn is bounded, so that a request for a single object never waits behind a hundred lists.

export interface LoopTurnsOptions {
  /** How long the work of one turn may take, in milliseconds. Default: 8. */
  readonly sliceMs?: number;
  /** Milliseconds, as `performance.now` counts them. */
  readonly now?: () => number;
}

export class LoopTurns {
  private readonly sliceMs: number;
  private readonly now: () => number;
  /** When work was first done in this turn. */
  private begunAt: number | undefined;
  private waiting: (() => void)[] = [];
  /** Of those who wait, the first who has not had his turn. */
  private nextWaiting = 0;

  constructor({ sliceMs = 8, now = () => performance.now() }: LoopTurnsOptions = {}) {
    this.sliceMs = sliceMs;
    this.now = now;
  }

  /** To be asked between objects: whether whoever asks is to wait for `next` before the next one. */
  get isOver(): boolean {
    const now = this.now();
    if (this.begunAt === undefined) {
      this.begin(now);
      return false;
    }
    return now - this.begunAt >= this.sliceMs;
  }

  /** As `isOver` and `next` count. */
  get nowMs(): number {
    return this.now();
  }

  /** For work on one object, which hardly ever takes so long: whether what began then has taken all that there is to take in a turn. */
  isOverSince(startMs: number): boolean {
    return this.now() - startMs >= this.sliceMs;
  }

  /** Resolves in a later turn, one caller a turn. */
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
