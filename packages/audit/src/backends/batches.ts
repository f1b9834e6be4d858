// Sends events in batches to a backend, asynchronously. The queue is bounded in events and in bytes. Source:
// staging/src/k8s.io/apiserver/plugin/pkg/audit/buffered/buffered.go.
import { type Clock, pauseUnlessAborted, TokenBucket } from "@orch/platform";
import type { EventText } from "../text/event-json";

export interface BatchOptions {
  /** Maximum number of queued events; further events are lost. */
  readonly waitingMax: number;
  readonly batchMax: number;
  /** Time to wait for a batch to fill. */
  readonly waitMs: number;
  /** Rate limit of batches; absent: none. */
  readonly rate?: { readonly perSecond: number; readonly burst: number } | undefined;
  /** Absent: only `batchMax` limits a batch. */
  readonly batchMaxBytes?: number | undefined;
  /** Maximum number of concurrent batches. */
  readonly parallel: number;
}

export interface BatchDeps {
  readonly clock: Clock;
  /** Never rejects: the sender handles failures. @param signal aborted when the time to send is over */
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

  /** @returns whether the queue had room */
  add(event: EventText): boolean {
    if (this.closing || this.waiting.length >= this.options.waitingMax) return false;
    if (this.waitingBytes + event.bytes > WAITING_MAX_BYTES) return false;
    this.waiting.push(event);
    this.waitingBytes += event.bytes;
    if (this.cancelWait === undefined && this.waiting.length < this.options.batchMax && !this.isDue) this.wait();
    else this.go();
    return true;
  }

  /** Flushes the queue. @param boundMs maximum time @returns number of lost events */
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
    // Events that were queued while the batch waited for its turn are sent with it.
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
