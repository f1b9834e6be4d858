// Divides long work on the main thread into slices, between which requests are served.
import { EventLoopYielder } from "@orch/platform";

/** Requests that arrive meanwhile wait for at most this time and one step. */
const SLICE_MS = 1;

export class Slices {
  private readonly yielder = new EventLoopYielder({ sliceMs: SLICE_MS });

  /** @param signal the work ends with its next slice after this is aborted */
  constructor(private readonly signal: AbortSignal) {}

  /** Yields to the event loop when the slice is over. Call it after every step. @throws the signal's reason */
  async breathe(): Promise<void> {
    if (!this.yielder.isOver) return;
    await this.yielder.next();
    this.signal.throwIfAborted();
  }
}
