// Long work on the server's one thread, done in slices between which requests have their turn.
import { setImmediate as nextTurn } from "node:timers/promises";

/** Requests that arrive meanwhile wait no longer than this and one step. */
const SLICE_MS = 1;

export class Slices {
  private sliceEndsAt: number;

  /** @param signal the work ends with its next slice once this is aborted */
  constructor(private readonly signal: AbortSignal) {
    this.sliceEndsAt = performance.now() + SLICE_MS;
  }

  /** Call after every step; resolves once the others have had their turn, if it was time for that. @throws the signal's reason */
  async breathe(): Promise<void> {
    if (performance.now() < this.sliceEndsAt) return;
    await nextTurn();
    this.signal.throwIfAborted();
    this.sliceEndsAt = performance.now() + SLICE_MS;
  }
}
