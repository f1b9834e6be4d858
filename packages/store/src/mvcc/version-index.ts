// The multi-version index: the history of every key, and the log of revisions that watches read. In memory only; its
// owner decides when a revision is durable. Example, with `head` 7 and `visible` 5: revisions 6 and 7 are being written
// to the disk. Transactions are evaluated against 7, reads and watches see 5, and `rollBack` removes 6 and 7 again if
// the write fails.

import {
  type Compare,
  type KeyValue,
  type Operation,
  type OperationResult,
  type RangeRequest,
  type RangeResult,
  type Revision,
  revisionOf,
  StoreError,
  type StoreEvent,
  type TxnRequest,
  type TxnResult,
} from "../contract/contract";
import { type HeldEvent, HeldItem, held } from "./held-item";
import { Interval, KEY_SPACE_END } from "./key-range";
import { type KeyHistory, SortedHistories } from "./sorted-histories";

/** All changes of one revision, in the order of the transaction's operations. */
export interface Commit {
  readonly revision: Revision;
  readonly events: readonly StoreEvent[];
}

/** The events of a revision in memory. There are as many as objects, and nearly all revisions have only one. */
type LoggedEvents = HeldEvent | readonly HeldEvent[];

const logged = (events: readonly HeldEvent[]): LoggedEvents =>
  events.length === 1 ? (events[0] as HeldEvent) : events.slice();

const eventsOf = (entry: LoggedEvents): readonly HeldEvent[] => ("kind" in entry ? [entry] : entry);

/** An event that compaction made superfluous, which a journal may drop. */
export interface Forgotten {
  readonly revision: Revision;
  /** Size of key and value. */
  readonly bytes: number;
}

/** The revision of an empty store, like in etcd. */
export const FIRST_REVISION = 1;

/** Number of events that a compaction examines in one turn of the event loop. */
const TURN_EVENTS = 2000;

export class VersionIndex {
  private readonly histories = new SortedHistories();
  /** Revisions in order without a gap; the oldest is `logStart`. */
  private readonly log: LoggedEvents[] = [];
  private logStart: Revision = FIRST_REVISION + 1;
  private headRevision: Revision = FIRST_REVISION;
  private visibleTo: Revision = FIRST_REVISION;
  private compactedTo: Revision = 0;
  private heldBytes = 0;

  /** The newest applied revision. */
  get head(): Revision {
    return this.headRevision;
  }

  /** The newest revision that reads and watches may see. */
  get visible(): Revision {
    return this.visibleTo;
  }

  /** The oldest revision that is complete; 0 before the first compaction. */
  get compacted(): Revision {
    return this.compactedTo;
  }

  /** Size of all kept keys and values, including old versions. */
  get bytes(): number {
    return this.heldBytes;
  }

  /** Makes everything up to `revision` visible to reads and watches. */
  show(revision: Revision): void {
    this.visibleTo = revision;
  }

  /**
   * Applies a transaction on top of `head`.
   * @returns its result, and the commit if it wrote
   * @throws StoreError compacted or futureRevision, from a range inside it; nothing is applied then
   */
  txn(request: TxnRequest): { readonly result: TxnResult; readonly commit: Commit | undefined } {
    const succeeded = request.compare.every((compare) => this.holds(compare));
    const operations = succeeded ? request.then : (request.else ?? []);
    for (const operation of operations)
      if (operation.kind === "range") this.checkRevision(operation, this.headRevision);
    const revision = this.headRevision + 1;
    const events: HeldEvent[] = [];
    const results = operations.map((operation) => this.run(operation, revision, events));
    if (events.length === 0) return { result: { succeeded, revision: this.headRevision, results }, commit: undefined };
    this.log.push(logged(events));
    this.headRevision = revision;
    return { result: { succeeded, revision, results }, commit: { revision, events } };
  }

  /** @throws StoreError compacted or futureRevision */
  range(request: RangeRequest): RangeResult {
    this.checkRevision(request, this.visibleTo);
    return this.read(request, this.visibleTo);
  }

  /** Returns the key at `head`. */
  live(key: string): KeyValue | undefined {
    const last = this.histories.get(key)?.events.at(-1);
    return last?.kind === "put" ? last.item : undefined;
  }

  /** Returns the visible commits from `from` on, at most `max`, oldest first. `from` must not be compacted. */
  commits({ from, max }: { readonly from: Revision; readonly max: number }): readonly Commit[] {
    const start = Math.max(from, this.logStart) - this.logStart;
    const end = Math.min(this.visibleTo - this.logStart + 1, start + max);
    const entries = this.log.slice(start, Math.max(start, end));
    return entries.map((entry, at) => ({ revision: this.logStart + start + at, events: eventsOf(entry) }));
  }

  /**
   * Compacts everything that only revisions before `revision` could see. Readers see the effect at once; memory is
   * released piece by piece, so that other work runs in between. The iterator must be exhausted before the next call.
   * @throws StoreError compacted or futureRevision, synchronously
   */
  compact(revision: Revision): Iterable<readonly Forgotten[]> {
    if (revision <= this.compactedTo) throw compactedError(this.compactedTo);
    if (revision > this.visibleTo) throw futureError(revision);
    this.compactedTo = revision;
    return this.pruned(revision);
  }

  /** Whether a compacted event is still needed for reads at the oldest kept revision or watches from there. */
  keeps(event: StoreEvent): boolean {
    const revision = revisionOf(event);
    if (revision >= this.compactedTo) return true;
    const oldest = this.histories.get(keyOf(event))?.events[0];
    return event.kind === "put" && oldest !== undefined && revisionOf(oldest) === revision;
  }

  /** Removes every revision after `visible`. */
  rollBack(): void {
    while (this.headRevision > this.visibleTo) {
      const undone = eventsOf(this.log.pop() as LoggedEvents);
      for (const event of undone.toReversed()) {
        const history = this.histories.get(keyOf(event)) as KeyHistory;
        history.events.pop();
        this.heldBytes -= sizeOf(event);
        if (history.events.length === 0) this.histories.remove(history);
      }
      this.headRevision -= 1;
    }
  }

  /**
   * Loads the content of a journal: commits in revision order, those before `compacted` only as far as they are live
   * there.
   * @returns records that an interrupted compaction left in the journal
   */
  restore(commits: Iterable<Commit>, { compacted }: { readonly compacted: Revision }): readonly Forgotten[] {
    const forgotten: Forgotten[] = [];
    const old: KeyHistory[] = [];
    this.compactedTo = compacted;
    this.logStart = Math.max(compacted, FIRST_REVISION + 1);
    this.headRevision = Math.max(compacted, FIRST_REVISION);
    let logStart: Revision | undefined;
    for (const commit of commits) {
      const { revision } = commit;
      const events = commit.events.map(held);
      for (const event of events) {
        this.record(event);
        if (revision > compacted) continue;
        old.push(this.histories.get(keyOf(event)) as KeyHistory);
        if (event.kind === "delete" && revision < compacted) {
          forgotten.push({ revision, bytes: sizeOf(event) });
        }
      }
      this.headRevision = Math.max(this.headRevision, revision);
      if (revision < this.logStart) continue;
      logStart ??= revision;
      this.log.push(logged(events));
    }
    this.visibleTo = this.headRevision;
    // A journal made from a backup begins after the revision to which it is compacted.
    this.logStart = logStart ?? this.headRevision + 1;
    for (const history of new Set(old)) this.prune(history, compacted, forgotten);
    return forgotten;
  }

  /**
   * Returns a part of the state at a revision, in key order.
   * @param from order form of the first key
   * @returns `next`: the `from` of the next part; undefined at the end
   */
  stateAt(
    revision: Revision,
    { from, max }: { readonly from: string; readonly max: number },
  ): { readonly items: readonly KeyValue[]; readonly next: string | undefined } {
    const items: KeyValue[] = [];
    let looked = 0;
    let next: string | undefined;
    this.histories.walkFrom(from, (history) => {
      if (looked === max) {
        next = history.order;
        return false;
      }
      looked += 1;
      const item = itemAt(history, revision);
      if (item !== undefined) items.push(item);
      return true;
    });
    return { items, next };
  }

  /** Returns the items attached to leases, to rebuild the leases. */
  leased(): readonly KeyValue[] {
    const found: KeyValue[] = [];
    this.histories.walk(new Interval({ start: "", end: KEY_SPACE_END }), (history) => {
      const last = history.events.at(-1);
      if (last?.kind === "put" && last.item.lease !== 0) found.push(last.item);
      return true;
    });
    return found;
  }

  private holds(compare: Compare): boolean {
    const item = this.live(compare.key);
    const [actual, wanted] =
      compare.target === "version"
        ? [item?.version ?? 0, compare.version]
        : [item?.[compare.target] ?? 0, compare.revision];
    switch (compare.is) {
      case "=":
        return actual === wanted;
      case "!=":
        return actual !== wanted;
      case ">":
        return actual > wanted;
      case "<":
        return actual < wanted;
    }
  }

  private run(operation: Operation, revision: Revision, events: HeldEvent[]): OperationResult {
    switch (operation.kind) {
      case "put": {
        const { key, value, lease = 0 } = operation;
        const old = this.live(key);
        const item = new HeldItem({
          key,
          value,
          createRevision: old?.createRevision ?? revision,
          modRevision: revision,
          version: (old?.version ?? 0) + 1,
          lease,
        });
        events.push(this.record({ kind: "put", item }));
        return { kind: "put" };
      }
      case "delete": {
        const keys: string[] = [];
        this.histories.walk(new Interval(operation), (history) => {
          if (history.events.at(-1)?.kind === "put") keys.push(history.key);
          return true;
        });
        for (const key of keys) events.push(this.record({ kind: "delete", key, modRevision: revision }));
        return { kind: "delete", deleted: keys.length };
      }
      case "range":
        // A transaction sees its own writes.
        return { kind: "range", ...this.read(operation, events.length > 0 ? revision : this.headRevision) };
    }
  }

  private record(event: HeldEvent): HeldEvent {
    this.histories.add(keyOf(event), event);
    this.heldBytes += sizeOf(event);
    return event;
  }

  private read(request: RangeRequest, now: Revision): RangeResult {
    const at = request.revision === undefined || request.revision === 0 ? now : request.revision;
    const limit = request.limit === undefined || request.limit === 0 ? Number.POSITIVE_INFINITY : request.limit;
    const items: KeyValue[] = [];
    let count = 0;
    this.histories.walk(new Interval(request), (history) => {
      const item = itemAt(history, at);
      if (item === undefined) return true;
      count++;
      if (items.length < limit) {
        items.push(request.keysOnly === true ? item.withoutValue() : item);
      }
      return true;
    });
    return { revision: now, items, count, more: count > items.length };
  }

  private checkRevision({ revision = 0 }: { readonly revision?: Revision }, newest: Revision): void {
    if (revision > newest) throw futureError(revision);
    if (revision !== 0 && revision < this.compactedTo) throw compactedError(this.compactedTo);
  }

  private *pruned(revision: Revision): Iterable<readonly Forgotten[]> {
    let forgotten: Forgotten[] = [];
    let looked = 0;
    // A version becomes superfluous when a newer one exists at or before `revision`, and that newer one is in the log.
    for (let at: Revision = this.logStart; at <= revision; at += 1) {
      const events = eventsOf(this.log[at - this.logStart] as LoggedEvents);
      for (const event of events) {
        if (event.kind === "delete" && at < revision) {
          forgotten.push({ revision: at, bytes: sizeOf(event) });
        }
        const history = this.histories.get(keyOf(event));
        if (history !== undefined) this.prune(history, revision, forgotten);
        looked += 1;
      }
      if (looked < TURN_EVENTS) continue;
      yield forgotten;
      forgotten = [];
      looked = 0;
    }
    this.log.splice(0, Math.max(0, revision - this.logStart));
    this.logStart = Math.max(revision, this.logStart);
    yield forgotten;
  }

  /**
   * Drops the versions of a key that a newer one at or before `revision` hides, and a deletion without a later event.
   */
  private prune(history: KeyHistory, revision: Revision, forgotten: Forgotten[]): void {
    const { events } = history;
    let kept = 0;
    while (kept + 1 < events.length && revisionOf(events[kept + 1] as StoreEvent) <= revision) kept++;
    const first = events[kept];
    if (first?.kind === "delete" && first.modRevision <= revision) kept++;
    for (const event of events.splice(0, kept)) {
      this.heldBytes -= sizeOf(event);
      if (event.kind === "put") forgotten.push({ revision: event.item.modRevision, bytes: sizeOf(event) });
    }
    if (events.length === 0) this.histories.remove(history);
  }
}

export const keyOf = (event: StoreEvent): string => (event.kind === "put" ? event.item.key : event.key);

const sizeOf = (event: HeldEvent): number => (event.kind === "put" ? event.item.size : event.key.length);

function itemAt(history: KeyHistory, revision: Revision): HeldItem | undefined {
  const { events } = history;
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i] as HeldEvent;
    if (revisionOf(event) <= revision) return event.kind === "put" ? event.item : undefined;
  }
  return undefined;
}

export function compactedError(compactRevision: Revision): StoreError {
  return new StoreError(
    "compacted",
    `the requested revision has been compacted; the oldest revision kept is ${compactRevision}`,
    {
      compactRevision,
    },
  );
}

const futureError = (revision: Revision) => new StoreError("futureRevision", `revision ${revision} does not exist yet`);
