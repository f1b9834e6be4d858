// Signal that ends a call at its timeout or when the outer signal ends. It is cheaper than an AbortController for each
// call.
import type { Clock, EndSignal, StopSignal } from "@orch/platform";
import type { CallEnd } from "./webhook-error";

export class CallBound implements StopSignal {
  /** Reason why this side ended the call, if it did. */
  end: CallEnd | undefined;
  reason: unknown;
  private listeners: readonly (() => void)[] = [];
  private readonly endsAtMs: number;
  private cancel: () => void = () => {};

  constructor(
    private readonly clock: Clock,
    timeoutMs: number,
    private readonly outer: EndSignal,
  ) {
    this.endsAtMs = clock.elapsed() + timeoutMs;
    this.wait();
    outer.addEventListener("abort", this.gone);
    if (outer.aborted) this.gone();
  }

  get aborted(): boolean {
    return this.end !== undefined;
  }

  addEventListener(_type: "abort", listener: () => void): void {
    this.listeners = [...this.listeners, listener];
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.listeners = this.listeners.filter((each) => each !== listener);
  }

  /**
   * Waits for the work, but no longer than the call may last. The work may be an exec credential plugin, for example.
   */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.aborted) reject(this.reason);
      else this.addEventListener("abort", () => reject(this.reason));
      work.then(resolve, reject);
    });
  }

  /** Releases the timer and the listener on the outer signal. Must be called at the end of each call. */
  release(): void {
    this.cancel();
    this.outer.removeEventListener("abort", this.gone);
  }

  /**
   * Starts the timer again when it fires early. Timers may fire early by as much as the loop was busy; the timeout is
   * then not over yet.
   */
  private wait(): void {
    const leftMs = this.endsAtMs - this.clock.elapsed();
    if (leftMs <= 0) this.stop("late");
    else this.cancel = this.clock.after(Math.ceil(leftMs), () => this.wait());
  }

  private readonly gone = (): void => this.stop("ended");

  private stop(end: CallEnd): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.reason = new Error("the call was canceled");
    for (const listener of this.listeners) listener();
  }
}
