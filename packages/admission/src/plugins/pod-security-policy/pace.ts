// Long work, a part at a time: a pod may have a hundred thousand containers, and there may be many policies.
import { setImmediate as nextTurn } from "node:timers/promises";

const STEPS_PER_TURN = 500;

export class Pace {
  private steps = 0;

  /** To be awaited between steps where it is not undefined. */
  step(): Promise<void> | undefined {
    this.steps += 1;
    return this.steps % STEPS_PER_TURN === 0 ? nextTurn() : undefined;
  }
}
