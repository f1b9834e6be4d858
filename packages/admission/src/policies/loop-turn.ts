// Turns of the event loop for who evaluates many expressions: none of them holds it up for long, nor do all together.

/** Of work in one go, in milliseconds: a request beside it waits no longer. */
const SLICE_MS = 5;

/** Steps of expressions between two looks at the clock: half a millisecond. */
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

  /** Whether it is over, as far as can be told. @param steps since this was asked last */
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

  /** Waits where the turn is over. */
  async pause(): Promise<void> {
    if (this.isOver) await this.next();
  }
}

/** Takes all steps of a generator, in as many turns as it takes. */
export async function inTurns<Result>(steps: Generator<undefined, Result>, turn = new LoopTurn()): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await turn.pause();
  }
}
