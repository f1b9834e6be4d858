// One watch of a local store. The log of the index is its queue: the watch keeps only the next revision, so a slow
// watcher costs nothing. Handlers run in a turn of their own, never inside the call that wrote.

import type { Revision, StoreError, StoreEvent, StoreWatch, WatchHandlers } from "../contract/contract";
import type { Interval } from "../mvcc/key-range";
import { type Commit, compactedError, keyOf, type VersionIndex } from "../mvcc/version-index";

/** Number of commits examined in one turn of the event loop. */
const TURN_COMMITS = 1000;

export class LocalWatch implements StoreWatch {
  private readonly interval: Interval;
  private readonly handlers: WatchHandlers;
  private readonly onEnd: (watch: LocalWatch) => void;
  private next: Revision;
  private started = false;
  private over = false;

  constructor(
    from: { readonly interval: Interval; readonly revision: Revision },
    handlers: WatchHandlers,
    onEnd: (watch: LocalWatch) => void,
  ) {
    this.interval = from.interval;
    this.next = from.revision;
    this.handlers = handlers;
    this.onEnd = onEnd;
  }

  close(): void {
    this.end("closed");
  }

  end(reason: StoreError | "closed"): void {
    if (this.over) return;
    this.over = true;
    this.onEnd(this);
    queueMicrotask(() => this.handlers.ended(reason));
  }

  /**
   * Delivers the visible commits that this watch has not seen.
   * @returns whether more are left for another turn
   */
  deliver(index: VersionIndex): boolean {
    if (this.over) return false;
    if (this.next < index.compacted) {
      this.end(compactedError(index.compacted));
      return false;
    }
    if (!this.started) {
      this.started = true;
      this.handlers.started?.(this.next);
    }
    if (this.over || this.next > index.visible) return false;
    const commits = index.commits({ from: this.next, max: TURN_COMMITS });
    const last = commits.at(-1);
    if (last === undefined) return false;
    this.next = last.revision + 1;
    const events = this.wanted(commits);
    const newest = events.at(-1);
    if (newest !== undefined) {
      const revision = newest.kind === "put" ? newest.item.modRevision : newest.modRevision;
      this.handlers.batch({ revision, events });
    }
    return this.next <= index.visible;
  }

  private wanted(commits: readonly Commit[]): readonly StoreEvent[] {
    const events: StoreEvent[] = [];
    for (const commit of commits) {
      for (const event of commit.events) if (this.interval.has(keyOf(event))) events.push(event);
    }
    return events;
  }
}
