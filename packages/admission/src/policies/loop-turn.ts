// Turns of the event loop for who evaluates many expressions: none of them holds it up for long, nor do all together.

/** Of work in one go, in milliseconds: a request beside it waits no longer. */
const SLICE_MS = 5;

export class LoopTurn {
  private begunAt: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.begunAt = now();
  }

  get isOver(): boolean {
    return this.now() - this.begunAt >= SLICE_MS;
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
