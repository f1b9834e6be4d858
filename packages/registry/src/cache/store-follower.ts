// Keeps a sink in step with the store until it is closed: first everything, then every change in revision order, and
// everything again when the store can no longer tell the changes. It lists first and watches from the next revision, so
// no change is lost between the two.

import { Backoff, type Clock, type Log, messageOf } from "@orch/platform";
import type { KeyValue, Revision, Store, StoreError, StoreWatch, WatchBatch } from "@orch/store";
import { wholeKeySpace } from "../objects/key-layout";

/** @param Read the form in which the sink keeps an item */
export interface FollowerSink<Read> {
  /**
   * Converts one page of a coming reset. The page's memory is released afterwards: the whole list would otherwise be
   * held twice.
   */
  read(items: readonly KeyValue[]): readonly Read[];
  /** Replaces the content by everything under the prefix as of `revision`, in key order. */
  reset(items: readonly Read[], revision: Revision): void;
  apply(batch: WatchBatch): void;
  /** Reports that the store holds another history. The former content is void at once; a reset will follow. */
  restored(): void;
  /** Revision of the last reset or batch. */
  readonly revision: Revision;
  /** @param error the reason when not connected */
  connected(now: boolean, error?: string): void;
}

const PAGE_KEYS = 1_000;
const RETRIES = { firstMs: 50, maxMs: 2_000 };
/** Maximum number of consecutive watches that end without a change. After that, everything is listed again. */
const RESUMES_MAX = 5;
/** The whole key space: every revision then brings an event, so the reached revision is known without a request. */
const WHOLE_STORE = { start: "\0", end: "\0" } as const;

export class StoreFollower<Read> {
  private watch: StoreWatch | undefined;
  private closed = false;
  private readonly backoff = new Backoff(RETRIES);
  private resumes = 0;
  private cancelRetry: (() => void) | undefined;
  /** Number of the list begun last. Results of earlier lists are ignored. */
  private listing = 0;

  constructor(
    private readonly parts: {
      readonly store: Store;
      readonly prefix: string;
      readonly clock: Clock;
      readonly log: Log;
      readonly sink: FollowerSink<Read>;
    },
  ) {}

  start(): void {
    void this.listAndWatch();
  }

  close(): void {
    this.closed = true;
    this.cancelRetry?.();
    this.watch?.close();
  }

  /** Lists again because a read found that the store holds another history than the one that is followed. */
  beginAnew(): void {
    if (this.closed) return;
    const watch = this.watch;
    this.watch = undefined;
    this.cancelRetry?.();
    watch?.close();
    this.restored("a read returned a revision older than the revision already observed");
  }

  private restored(why: string): void {
    const { sink, log } = this.parts;
    log.warn("the store was restored from a backup: the watch cache lists it again", { why });
    sink.restored();
    sink.connected(false, "the store was restored from a backup");
    void this.listAndWatch();
  }

  private async listAndWatch(): Promise<void> {
    const { sink, log } = this.parts;
    const listing = ++this.listing;
    try {
      const { items, revision } = await this.list();
      if (this.closed || listing !== this.listing) return;
      sink.reset(items, revision);
      this.resumes = 0;
      this.follow();
    } catch (error) {
      if (listing !== this.listing) return;
      const message = messageOf(error);
      sink.connected(false, message);
      log.warn("cannot list the store", { error: message });
      this.retry(() => void this.listAndWatch());
    }
  }

  /** Watches from the revision after the last one of the sink. */
  private follow(): void {
    const { store, sink } = this.parts;
    // Events of a watch that was closed or has ended are ignored.
    const isMine = () => this.watch === watch;
    const watch: StoreWatch = store.watch(
      { ...WHOLE_STORE, fromRevision: sink.revision + 1 },
      {
        started: () => isMine() && sink.connected(true),
        batch: (batch) => {
          if (!isMine()) return;
          this.backoff.reset();
          this.resumes = 0;
          sink.apply(batch);
        },
        interrupted: (error) => isMine() && sink.connected(false, error.message),
        ended: (reason) => isMine() && this.ended(reason),
      },
    );
    this.watch = watch;
  }

  private ended(reason: StoreError | "closed"): void {
    if (this.closed) return;
    const { sink, log } = this.parts;
    const code = reason === "closed" ? "closed" : reason.code;
    if (code === "restored") {
      this.restored("the watch of the store ended");
      return;
    }
    sink.connected(false, reason === "closed" ? "closed" : reason.message);
    // The changes since the last one can be watched again, unless the store has compacted them or denies the reached
    // revision. A list may also help when watches keep ending for other reasons.
    const forgotten = code === "compacted" || code === "futureRevision" || this.resumes >= RESUMES_MAX;
    this.resumes += 1;
    log.warn("the watch of the store ended", { reason: code, next: forgotten ? "list" : "resume" });
    this.retry(forgotten ? () => void this.listAndWatch() : () => this.follow());
  }

  private retry(attempt: () => void): void {
    if (this.closed) return;
    this.cancelRetry = this.parts.clock.after(this.backoff.next(), attempt, { background: true });
  }

  /** Lists in pages, all at the revision of the first page. */
  private async list(): Promise<{ items: Read[]; revision: Revision }> {
    const { store, prefix, sink } = this.parts;
    const { start, end } = wholeKeySpace(prefix);
    const first = await store.range({ start, end, limit: PAGE_KEYS });
    const { revision } = first;
    const items = [...sink.read(first.items)];
    let last = first.items.at(-1)?.key;
    for (let more = first.more; more; ) {
      const page = await store.range({ start: `${last ?? start}\0`, end, limit: PAGE_KEYS, revision });
      for (const item of sink.read(page.items)) items.push(item);
      last = page.items.at(-1)?.key;
      more = page.more && last !== undefined;
    }
    return { items, revision };
  }
}
