// Long waits for external services. A request that waits releases its capacity to others, so that a service that hangs
// does not block requests that do not need it.

import type { Clock } from "./clock";
import type { EndSignal } from "./end-signal";

/** Time within which a healthy service responds. */
const PATIENCE_MS = 100;
const LOOK_EVERY_MS = 50;
/**
 * Maximum number of waits that have released their capacity. Each keeps its memory and connection, and resumes after
 * the response.
 */
const ASIDE_MAX = 1000;

export interface Wait {
  readonly signal: EndSignal;
  readonly sinceMs: number;
  isAside: boolean;
  isOver: boolean;
}

/** Supervises waits together: a short wait costs no timer. */
export class LongWaits {
  /** Waits in the order of their start, without those that have released their capacity. */
  private readonly waits = new Set<Wait>();
  private aside = 0;
  private looksLater = false;

  constructor(private readonly clock: Clock) {}

  /** Starts a wait. @returns the argument of `end`; undefined for a signal that holds no capacity */
  begin(signal: EndSignal): Wait | undefined {
    if (signal.standAside === undefined) return undefined;
    const wait = { signal, sinceMs: this.clock.elapsed(), isAside: false, isOver: false };
    this.waits.add(wait);
    this.lookLater();
    return wait;
  }

  /** Ends a wait. Repeated calls have no effect. */
  end(wait: Wait | undefined): void {
    if (wait === undefined || wait.isOver) return;
    wait.isOver = true;
    if (wait.isAside) this.aside -= 1;
    else this.waits.delete(wait);
  }

  private lookLater(): void {
    if (this.looksLater) return;
    this.looksLater = true;
    this.clock.after(LOOK_EVERY_MS, () => this.look(), { background: true });
  }

  private look(): void {
    this.looksLater = false;
    const untilMs = this.clock.elapsed() - PATIENCE_MS;
    for (const wait of this.waits) {
      if (wait.sinceMs > untilMs || this.aside >= ASIDE_MAX) break;
      this.waits.delete(wait);
      this.aside += 1;
      wait.isAside = true;
      wait.signal.standAside?.();
    }
    if (this.waits.size > 0) this.lookLater();
  }
}
