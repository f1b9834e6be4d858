// Time slices on the event loop for the evaluation of many expressions, so that neither one of them nor all together
// block it.

/** Maximum duration of work in one slice, in milliseconds. Another request waits no longer. */
const SLICE_MS = 5;

/** Number of expression steps between two reads of the clock: half a millisecond. */
const UNTIMED_STEPS = 10_000;

export class LoopTurn {
  private begunAt: number;
  private untimed = 0;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.begunAt = now();
  }

  get isOver(): boolean {
    return this.now() - this.begunAt >= SLICE_MS;
  }

  /** Returns whether the slice is over, as far as is known. @param steps steps since the last call */
  isOverAfter(steps: number): boolean {
    this.untimed += steps;
    if (this.untimed < UNTIMED_STEPS) return false;
    this.untimed = 0;
    return this.isOver;
  }

  readonly next = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    this.begunAt = this.now();
  };

  /** Yields when the slice is over. */
  async pause(): Promise<void> {
    if (this.isOver) await this.next();
  }
}

/** Runs a generator to its end, in as many slices as it needs. */
export async function inTurns<Result>(steps: Generator<undefined, Result>, turn = new LoopTurn()): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await turn.pause();
  }
}
