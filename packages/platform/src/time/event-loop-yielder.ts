// Time slices of the event loop, shared by tasks that process many objects: lists, tables, starting watches. The total
// work in one turn is bounded, so that a request for a single object never waits behind a hundred lists. Source:
// docs/architecture.md, "Event loop".

interface EventLoopYielderOptions {
  /** Maximum duration of the work in one turn, in milliseconds. Default: 8. */
  readonly sliceMs?: number;
  /** Milliseconds of `performance.now`. */
  readonly now?: () => number;
}

/** Number of counted steps between two reads of the clock. A step takes some 50 ns. */
const STEPS_PER_READ = 10_000;

export class EventLoopYielder {
  private readonly sliceMs: number;
  private readonly now: () => number;
  /** Start of the work in this turn. */
  private begunAt: number | undefined;
  private waiting: (() => void)[] = [];
  /** Index of the first caller in `waiting` that has not been resumed. */
  private nextWaiting = 0;
  /** Counted steps since the last read of the clock. */
  private steps = 0;

  constructor({ sliceMs = 8, now = () => performance.now() }: EventLoopYielderOptions = {}) {
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

  /**
   * Reports whether the slice is used up, as far as is known: the clock is read once per STEPS_PER_READ steps.
   * @param steps number of small steps since the last call
   */
  isOverAfter(steps: number): boolean {
    this.steps += steps;
    if (this.steps < STEPS_PER_READ) return false;
    this.steps = 0;
    return this.isOver;
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

  /** Waits for a later turn when the slice of this turn is used up. */
  async pause(): Promise<void> {
    if (this.isOver) await this.next();
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

/** Runs a generator to its end, in as many turns as it needs. */
export async function runInSlices<Result>(steps: Generator<void, Result>, yielder: EventLoopYielder): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await yielder.pause();
  }
}
