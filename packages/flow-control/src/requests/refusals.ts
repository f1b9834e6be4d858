// Delays refusals. A refused client retries; refusals beyond the configured rate are sent later, so that their clients
// retry later and a flood of refused requests does not take more of the server than this rate.
import { type Clock, LinkedQueue, type QueueNode } from "@orch/platform";

export interface RefusalsOptions {
  readonly clock: Clock;
  readonly perSecond: number;
  /** Number of refusals sent at once after a pause. */
  readonly burst: number;
  /** Maximum number of waiting refusals; further ones are sent at once. */
  readonly waitingMax: number;
}

const TICK_MS = 10;

/** A waiting refusal. */
export type HeldRefusal = QueueNode<() => void>;

export class Refusals {
  private readonly waiting = new LinkedQueue<() => void>();
  private tokens: number;
  private filledMs: number;
  private cancelTick: (() => void) | undefined;

  constructor(private readonly options: RefusalsOptions) {
    this.tokens = options.burst;
    this.filledMs = options.clock.elapsed();
  }

  /** @returns undefined when the refusal is to be sent at once; `give` is then not called */
  hold(give: () => void): HeldRefusal | undefined {
    this.fill();
    if (this.tokens >= 1 && this.waiting.size === 0) {
      this.tokens -= 1;
      return undefined;
    }
    if (this.waiting.size >= this.options.waitingMax) return undefined;
    this.tickLater();
    return this.waiting.add(give);
  }

  /** Drops a refusal whose client has left. */
  drop(held: HeldRefusal): void {
    this.waiting.delete(held);
  }

  get size(): number {
    return this.waiting.size;
  }

  close(): void {
    this.cancelTick?.();
    this.cancelTick = undefined;
  }

  private fill(): void {
    const { clock, perSecond, burst } = this.options;
    const nowMs = clock.elapsed();
    this.tokens = Math.min(burst, this.tokens + ((nowMs - this.filledMs) * perSecond) / 1000);
    this.filledMs = nowMs;
  }

  private tickLater(): void {
    this.cancelTick ??= this.options.clock.after(TICK_MS, this.tick, { background: true });
  }

  private readonly tick = (): void => {
    this.cancelTick = undefined;
    this.fill();
    let held = this.waiting.first;
    while (held !== undefined && this.tokens >= 1) {
      this.tokens -= 1;
      this.waiting.delete(held);
      held.item();
      held = this.waiting.first;
    }
    if (this.waiting.size > 0) this.tickLater();
  };
}
