// Events on their way to somebody who takes them in batches, when it suits him: bounded in number and in bytes, whatever he does.
// Source: facts, flags.json "audit-webhook-batch-…".
import { type Clock, pauseUnlessAborted, TokenBucket } from "@orch/platform";
import type { EventText } from "../text/event-json";

export interface BatchOptions {
  /** Events that wait; more are lost. */
  readonly waitingMax: number;
  readonly batchMax: number;
  /** For a batch to become full. */
  readonly waitMs: number;
  /** Of batches; absent: no bound. */
  readonly rate?: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Absent: only `batchMax` counts. */
  readonly batchMaxBytes?: number | undefined;
  /** Batches that may be on their way at once. */
  readonly parallel: number;
}

export interface BatchDeps {
  readonly clock: Clock;
  /** Never rejected: whoever sends knows what to do about failures. @param signal there is no more time */
  send(batch: readonly EventText[], signal: AbortSignal): Promise<void>;
}

const WAITING_MAX_BYTES = 64 * 1024 * 1024;

export class Batches {
  private waiting: EventText[] = [];
  private waitingBytes = 0;
  private sending = 0;
  private cancelWait: (() => void) | undefined;
  private isDue = false;
  private closing = false;
  private idle: (() => void) | undefined;
  private readonly bucket: TokenBucket | undefined;
  private readonly end = new AbortController();
  private readonly hurry = new AbortController();

  constructor(
    private readonly options: BatchOptions,
    private readonly deps: BatchDeps,
  ) {
    this.bucket = options.rate === undefined ? undefined : new TokenBucket(options.rate, deps.clock);
  }

  /** @returns whether there is room for it */
  add(event: EventText): boolean {
    if (this.closing || this.waiting.length >= this.options.waitingMax) return false;
    if (this.waitingBytes + event.bytes > WAITING_MAX_BYTES) return false;
    this.waiting.push(event);
    this.waitingBytes += event.bytes;
    if (this.cancelWait === undefined && this.waiting.length < this.options.batchMax && !this.isDue) this.wait();
    else this.go();
    return true;
  }

  /** Sends what waits, for so long at most. @returns events that are lost */
  async close(boundMs: number): Promise<number> {
    this.closing = true;
    this.hurry.abort();
    const cancel = this.deps.clock.after(boundMs, () => {
      this.end.abort();
      this.idle?.();
    });
    this.go();
    if (this.waiting.length > 0 || this.sending > 0) {
      await new Promise<void>((resolve) => {
        this.idle = resolve;
      });
    }
    cancel();
    return this.waiting.length;
  }

  private wait(): void {
    this.cancelWait = this.deps.clock.after(
      this.options.waitMs,
      () => {
        this.cancelWait = undefined;
        this.isDue = true;
        this.go();
      },
      { background: true },
    );
  }

  private go(): void {
    const { options } = this;
    while (this.waiting.length > 0 && this.sending < options.parallel && !this.end.signal.aborted) {
      if (this.waiting.length < options.batchMax && !this.isDue && !this.closing) {
        if (this.cancelWait === undefined) this.wait();
        return;
      }
      this.cancelWait?.();
      this.cancelWait = undefined;
      this.isDue = false;
      void this.send();
    }
    if (this.waiting.length === 0 && this.sending === 0) this.idle?.();
  }

  private async send(): Promise<void> {
    this.sending += 1;
    const waitMs = this.closing ? 0 : (this.bucket?.reserve() ?? 0);
    if (waitMs > 0) await pauseUnlessAborted(this.deps.clock, waitMs, this.hurry.signal);
    // What has come while it waited for its turn goes with it.
    const batch = this.take();
    if (batch.length > 0) await this.deps.send(batch, this.end.signal);
    this.sending -= 1;
    this.go();
  }

  private take(): readonly EventText[] {
    const { batchMax, batchMaxBytes = Number.POSITIVE_INFINITY } = this.options;
    let count = 0;
    let bytes = 0;
    for (const event of this.waiting) {
      if (count >= batchMax || (count > 0 && bytes + event.bytes > batchMaxBytes)) break;
      count += 1;
      bytes += event.bytes;
    }
    const batch = this.waiting.slice(0, count);
    this.waiting = count === this.waiting.length ? [] : this.waiting.slice(count);
    this.waitingBytes -= bytes;
    return batch;
  }
}
