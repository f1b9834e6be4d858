// State of one webhook and the decision whether it is called. Pure: times are parameters.
// A webhook is broken after FAILURES consecutive failed calls. With the failure policy Ignore it is then not called for
// a second; the pause doubles with each trial call that fails, to half a minute at most; one trial call runs at a time.
// With the failure policy Fail it is called all the same, because without it the request fails in any case, and only a
// call can tell that it has recovered. The number of such calls is limited, because a request that waits for an answer
// holds a place that other requests need. Calls beyond the limit are refused at once.
// The same limit holds for a webhook that has not failed yet, when it has answered no call for a second while many
// calls wait. Source: docs/admission.md, "Webhooks that fail".

export type CircuitPolicy = "Ignore" | "Fail";

/** `answered`: any answer. `unknown`: the caller ended the call before its outcome was known. */
export type CallOutcome = "answered" | "failed" | "unknown";

export interface CircuitTimes {
  /** Monotonic time in milliseconds. */
  readonly elapsedMs: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Why a call is not made. */
export interface SuspendedCall {
  readonly withheld: "broken" | "stalled" | "full";
  /** Message for the caller. */
  readonly why: string;
}

/** A call that is made. */
export interface Permit {
  readonly isTrial: boolean;
  readonly sinceMs: number;
}

export const FAILURES = 5;
export const FIRST_PAUSE_MS = 1_000;
export const LAST_PAUSE_MS = 30_000;
/** Maximum number of concurrent calls to a broken webhook with the failure policy Fail. */
const CALLS_WHILE_BROKEN = 4;
/** A webhook is stalled when this many calls wait and none is answered for STALLED_MS. */
const STALLED_CALLS = 32;
export const STALLED_MS = 1_000;
/** Maximum number of concurrent calls to one webhook. */
const CALLS_MAX = 256;

export class WebhookCircuit {
  /** Consecutive failures. */
  failures = 0;
  /** Time of the first of these failures, in milliseconds since 1970. */
  failingSinceMs = 0;
  /** The same in monotonic time. */
  private failingSinceElapsedMs = 0;
  lastFailure = "";
  /** Calls that have not ended. */
  underWay = 0;
  private pauseMs = FIRST_PAUSE_MS;
  private closedUntilMs = 0;
  private isTrying = false;
  /** Time of the last answer, or of the first call after an idle time. */
  private lastSignMs = 0;

  get isBroken(): boolean {
    return this.failures >= FAILURES;
  }

  /** Whether the state can be dropped. */
  get isForgettable(): boolean {
    return this.underWay === 0 && this.failures === 0;
  }

  begin(policy: CircuitPolicy, { elapsedMs }: CircuitTimes): Permit | SuspendedCall {
    const withheld = policy === "Ignore" ? this.closed(elapsedMs) : this.crowded(elapsedMs);
    if (withheld !== undefined) return withheld;
    if (this.underWay >= CALLS_MAX) return { withheld: "full", why: `${CALLS_MAX} calls are in progress` };
    if (this.underWay === 0) this.lastSignMs = elapsedMs;
    this.underWay += 1;
    const isTrial = policy === "Ignore" && this.isBroken;
    if (isTrial) this.isTrying = true;
    return { isTrial, sinceMs: elapsedMs };
  }

  /** @param why it failed */
  end({ isTrial }: Permit, outcome: CallOutcome, { elapsedMs, nowMs }: CircuitTimes, why = ""): void {
    this.underWay -= 1;
    if (isTrial) this.isTrying = false;
    switch (outcome) {
      case "unknown":
        return;
      case "answered":
        this.lastSignMs = elapsedMs;
        this.failures = 0;
        this.pauseMs = FIRST_PAUSE_MS;
        return;
      case "failed": {
        if (this.failures === 0) {
          this.failingSinceMs = nowMs;
          this.failingSinceElapsedMs = elapsedMs;
        }
        this.failures += 1;
        this.lastFailure = why;
        const breaksNow = this.failures === FAILURES;
        if (isTrial) this.pauseMs = Math.min(this.pauseMs * 2, LAST_PAUSE_MS);
        if (isTrial || breaksNow) this.closedUntilMs = elapsedMs + this.pauseMs;
      }
    }
  }

  /** Text for messages: since when the webhook fails. */
  standing(): string {
    return `failing since ${new Date(this.failingSinceMs).toISOString()}, ${this.failures} calls in a row`;
  }

  private closed(elapsedMs: number): SuspendedCall | undefined {
    if (this.isBroken) {
      const waitMs = this.closedUntilMs - elapsedMs;
      if (waitMs <= 0 && !this.isTrying) return undefined;
      const next = waitMs > 0 ? `the next attempt is in ${Math.ceil(waitMs / 1000)}s` : "an attempt is in progress";
      return { withheld: "broken", why: `not called: ${this.standing()}, ${next}: ${this.lastFailure}` };
    }
    return this.stalled(elapsedMs);
  }

  private crowded(elapsedMs: number): SuspendedCall | undefined {
    if (!this.isBroken) return this.stalled(elapsedMs);
    if (this.underWay < CALLS_WHILE_BROKEN) return undefined;
    const forSeconds = Math.round((elapsedMs - this.failingSinceElapsedMs) / 1000);
    return {
      withheld: "broken",
      why: `not called, because ${this.underWay} other calls are in progress: ${this.standing()}, for ${forSeconds}s: ${this.lastFailure}`,
    };
  }

  private stalled(elapsedMs: number): SuspendedCall | undefined {
    if (this.underWay < STALLED_CALLS || elapsedMs - this.lastSignMs < STALLED_MS) return undefined;
    const forSeconds = Math.floor((elapsedMs - this.lastSignMs) / 1000);
    return {
      withheld: "stalled",
      why: `not called: ${this.underWay} calls are in progress and none has been answered for ${forSeconds}s`,
    };
  }
}
