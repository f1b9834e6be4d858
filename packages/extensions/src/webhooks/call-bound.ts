// How long a call may take, and who may end it: one signal for both. An AbortController for each call would cost more than its question.
import type { Clock, EndSignal, StopSignal } from "@orch/platform";
import type { CallEnd } from "./webhook-error";

export class CallBound implements StopSignal {
  /** Why it was ended from this side, if it was. */
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

  /** Waits no longer than the call may last, whatever the work waits for: a command that hands out credentials, say. */
  within<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.aborted) reject(this.reason);
      else this.addEventListener("abort", () => reject(this.reason));
      work.then(resolve, reject);
    });
  }

  /** To be called when all is over: nothing is left behind on the outer signal. */
  release(): void {
    this.cancel();
    this.outer.removeEventListener("abort", this.gone);
  }

  /** Timers may be early, by as much as the loop was busy; who asks afterwards whether time is up is to be told so. */
  private wait(): void {
    const leftMs = this.endsAtMs - this.clock.elapsed();
    if (leftMs <= 0) this.stop("late");
    else this.cancel = this.clock.after(Math.ceil(leftMs), () => this.wait());
  }

  private readonly gone = (): void => this.stop("ended");

  private stop(end: CallEnd): void {
    if (this.end !== undefined) return;
    this.end = end;
    this.reason = new Error("the call was ended");
    for (const listener of this.listeners) listener();
  }
}
