// Divides long work on the main thread into slices, between which requests are served.
import { setImmediate as nextTurn } from "node:timers/promises";

/** Requests that arrive meanwhile wait for at most this time and one step. */
const SLICE_MS = 1;

export class Slices {
  private sliceEndsAt: number;

  /** @param signal the work ends with its next slice after this is aborted */
  constructor(private readonly signal: AbortSignal) {
    this.sliceEndsAt = performance.now() + SLICE_MS;
  }

  /** Yields to the event loop when the slice is over. Call it after every step. @throws the signal's reason */
  async breathe(): Promise<void> {
    if (performance.now() < this.sliceEndsAt) return;
    await nextTurn();
    this.signal.throwIfAborted();
    this.sliceEndsAt = performance.now() + SLICE_MS;
  }
}
