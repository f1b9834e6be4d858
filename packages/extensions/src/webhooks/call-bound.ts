// How long a call may take, and who may end it: one signal for both.
import type { Clock, EndSignal } from "@orch/platform";
import type { CallEnd } from "./webhook-error";

export class CallBound {
  /** Why it was ended from this side, if it was. */
  end: CallEnd | undefined;
  private readonly controller = new AbortController();
  private readonly cancel: () => void;

  constructor(
    clock: Clock,
    timeoutMs: number,
    private readonly outer: EndSignal,
  ) {
    this.cancel = clock.after(Math.max(timeoutMs, 0), () => this.stop("late"));
    outer.addEventListener("abort", this.gone);
    if (outer.aborted) this.gone();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** To be called when all is over: nothing is left behind on the outer signal. */
  release(): void {
    this.cancel();
    this.outer.removeEventListener("abort", this.gone);
  }

  private readonly gone = (): void => this.stop("ended");

  private stop(end: CallEnd): void {
    this.end ??= end;
    this.controller.abort();
  }
}
