// Who waits long for somebody outside does no work meanwhile: what is held for those that work is given to others until then, so that a
// service that hangs does not stop those who do not need it.
import type { EndSignal } from "./end-signal";
import type { Clock } from "./time/clock";

/** A service that is well has answered by then. */
const PATIENCE_MS = 100;
const LOOK_EVERY_MS = 50;
/** Each keeps its memory and its connection, and works on when it is answered. */
const ASIDE_MAX = 1000;

export interface Wait {
  readonly signal: EndSignal;
  readonly sinceMs: number;
  isAside: boolean;
  isOver: boolean;
}

/** Looked after together: one that is short costs no timer. */
export class LongWaits {
  /** In the order in which they began, without those that stand aside. */
  private readonly waits = new Set<Wait>();
  private aside = 0;
  private looksLater = false;

  constructor(private readonly clock: Clock) {}

  /** @returns for `end`, when it is over; undefined for a signal behind which nothing is held */
  begin(signal: EndSignal): Wait | undefined {
    if (signal.standAside === undefined) return undefined;
    const wait = { signal, sinceMs: this.clock.elapsed(), isAside: false, isOver: false };
    this.waits.add(wait);
    this.lookLater();
    return wait;
  }

  /** More than once does no harm. */
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
