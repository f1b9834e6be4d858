// Long work on the server's one thread, done in slices between which requests have their turn.
import { setImmediate as nextTurn } from "node:timers/promises";

/** Requests that arrive meanwhile wait no longer than this and one step. */
const SLICE_MS = 1;

export class Slices {
  private sliceEndsAt: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.sliceEndsAt = this.now() + SLICE_MS;
  }

  /** Call after every step; resolves once the others have had their turn, if it was time for that. */
  async breathe(): Promise<void> {
    if (this.now() < this.sliceEndsAt) return;
    await nextTurn();
    this.sliceEndsAt = this.now() + SLICE_MS;
  }
}
