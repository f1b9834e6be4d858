// What is known of how one webhook fares, and whether it is called by that. Pure: times are given.
//
// It is broken after FAILURES calls in a row that failed. Where its policy is Ignore it is then not called for a second, which doubles with
// every call that is tried after it and fails as well, to half a minute at most; one call at a time is tried. Where its policy is Fail it is
// called all the same, for without it the request fails in any case, and only a call can tell that it is well again; but by few at a time,
// for a request that waits for an answer that never comes holds a place that others need. Who is too many is refused at once.
//
// Before anything has failed, calls may pile up that nobody answers: of one that has answered nobody for a second while many wait, the same
// holds.

export type CircuitPolicy = "Ignore" | "Fail";

/** `answered`: whatever it said. `unknown`: it was ended from this side before anything could be said of it. */
export type CallOutcome = "answered" | "failed" | "unknown";

export interface CircuitTimes {
  /** Milliseconds that never run backwards. */
  readonly elapsedMs: number;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Why a call is not made. */
export interface Withheld {
  readonly withheld: "broken" | "stalled" | "full";
  /** What to tell whoever wanted to call. */
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
/** Of one that is broken and is called all the same. */
const CALLS_WHILE_BROKEN = 4;
/** A webhook that answers nobody while so many wait, for so long. */
const STALLED_CALLS = 32;
export const STALLED_MS = 1_000;
/** Of one webhook, at a time. */
const CALLS_MAX = 256;

export class WebhookCircuit {
  /** In a row. */
  failures = 0;
  /** When the first of them failed, milliseconds since 1970. */
  failingSinceMs = 0;
  /** The same on the elapsed time. */
  private failingSinceElapsedMs = 0;
  lastFailure = "";
  /** Calls that have not ended. */
  underWay = 0;
  private pauseMs = FIRST_PAUSE_MS;
  private closedUntilMs = 0;
  private isTrying = false;
  /** When it last answered, or began to have something to answer. */
  private lastSignMs = 0;

  get isBroken(): boolean {
    return this.failures >= FAILURES;
  }

  /** Nothing is worth remembering. */
  get isForgettable(): boolean {
    return this.underWay === 0 && this.failures === 0;
  }

  begin(policy: CircuitPolicy, { elapsedMs }: CircuitTimes): Permit | Withheld {
    const withheld = policy === "Ignore" ? this.closed(elapsedMs) : this.crowded(elapsedMs);
    if (withheld !== undefined) return withheld;
    if (this.underWay >= CALLS_MAX) return { withheld: "full", why: `${CALLS_MAX} calls of it are under way` };
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

  /** For messages: since when it fails. */
  standing(): string {
    return `failing since ${new Date(this.failingSinceMs).toISOString()}, ${this.failures} calls in a row`;
  }

  private closed(elapsedMs: number): Withheld | undefined {
    if (this.isBroken) {
      const waitMs = this.closedUntilMs - elapsedMs;
      if (waitMs <= 0 && !this.isTrying) return undefined;
      const next = waitMs > 0 ? `it is tried again in ${Math.ceil(waitMs / 1000)}s` : "it is being tried";
      return { withheld: "broken", why: `not called: ${this.standing()}, ${next}: ${this.lastFailure}` };
    }
    return this.stalled(elapsedMs);
  }

  private crowded(elapsedMs: number): Withheld | undefined {
    if (!this.isBroken) return this.stalled(elapsedMs);
    if (this.underWay < CALLS_WHILE_BROKEN) return undefined;
    const forSeconds = Math.round((elapsedMs - this.failingSinceElapsedMs) / 1000);
    return {
      withheld: "broken",
      why: `not called, for ${this.underWay} others wait for it: ${this.standing()}, for ${forSeconds}s: ${this.lastFailure}`,
    };
  }

  private stalled(elapsedMs: number): Withheld | undefined {
    if (this.underWay < STALLED_CALLS || elapsedMs - this.lastSignMs < STALLED_MS) return undefined;
    const forSeconds = Math.floor((elapsedMs - this.lastSignMs) / 1000);
    return {
      withheld: "stalled",
      why: `not called: ${this.underWay} calls wait for it, and it has answered none for ${forSeconds}s`,
    };
  }
}
