// A watch whose batches are transformed in strict order: synchronously when possible, otherwise after the batches still
// in progress.
import { StoreError, type StoreWatch, type WatchBatch, type WatchHandlers } from "../contract/contract";

/** Limit of queued batches. Beyond it the watch ends and can be resumed from its position. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024;
/** Size of an event without its value. */
const EVENT_BYTES = 256;

export class OrderedWatch implements StoreWatch {
  private inside: StoreWatch | undefined;
  private readonly waiting: { readonly batch: WatchBatch; readonly bytes: number }[] = [];
  private waitingBytes = 0;
  private isBusy = false;
  private isOver = false;
  /** The reason of the end, while queued batches are still delivered. */
  private ending: StoreError | "closed" | undefined;

  constructor(
    private readonly change: (batch: WatchBatch) => WatchBatch | Promise<WatchBatch>,
    private readonly handlers: WatchHandlers,
    private readonly open: (handlers: WatchHandlers) => StoreWatch,
  ) {}

  start(): void {
    this.inside = this.open({
      started: (revision) => this.isOver || this.handlers.started?.(revision),
      interrupted: (error) => this.isOver || this.handlers.interrupted?.(error),
      batch: (batch) => this.take(batch),
      ended: (reason) => this.endAfterwards(reason),
    });
    if (this.isOver) this.inside.close();
  }

  close(): void {
    this.end("closed");
  }

  /** Ends the watch at once. Queued batches are dropped. */
  end(reason: StoreError | "closed"): void {
    if (this.isOver) return;
    this.isOver = true;
    this.waiting.length = 0;
    this.inside?.close();
    this.handlers.ended(reason);
  }

  private endAfterwards(reason: StoreError | "closed"): void {
    if (this.isOver || this.ending !== undefined) return;
    this.ending = reason;
    if (!this.isBusy) this.end(reason);
  }

  private take(batch: WatchBatch): void {
    if (this.isOver || this.ending !== undefined) return;
    if (!this.isBusy) {
      const changed = this.change(batch);
      if (changed instanceof Promise) void this.handOn(changed);
      else this.handlers.batch(changed);
      return;
    }
    const bytes = bytesOf(batch);
    this.waitingBytes += bytes;
    if (this.waitingBytes <= WAITING_BYTES_MAX) this.waiting.push({ batch, bytes });
    else {
      this.endAfterwards(new StoreError("unavailable", "the watch receives changes faster than they can be decrypted"));
      this.inside?.close();
    }
  }

  /** Delivers batches until none is queued. */
  private async handOn(first: Promise<WatchBatch>): Promise<void> {
    this.isBusy = true;
    let changing: WatchBatch | Promise<WatchBatch> = first;
    for (;;) {
      const changed: WatchBatch = await changing;
      if (this.isOver) return;
      this.handlers.batch(changed);
      const next = this.waiting.shift();
      if (next === undefined) break;
      this.waitingBytes -= next.bytes;
      changing = this.change(next.batch);
    }
    this.isBusy = false;
    if (this.ending !== undefined) this.end(this.ending);
  }
}

function bytesOf({ events }: WatchBatch): number {
  let bytes = 0;
  for (const event of events) bytes += EVENT_BYTES + (event.kind === "put" ? event.item.value.length : 0);
  return bytes;
}
