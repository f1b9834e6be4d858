// The states of one resource at past revisions: kept for clients that page through them, or rebuilt by undoing recent
// changes. A kept state shares its objects with the newest state. The total size of the objects that only past states
// hold is bounded.
//
//   changes at 5, 8        a snapshot taken at 6 is the state of revisions 5 to 7
//   request for 4, ring starts at 3: the newest state, with 8 and then 5 undone
//   an object of 5 that changes at 8 is held by the snapshot from then on; its later changes cost the snapshot nothing

import type { Clock } from "@orch/platform";
import { orderForm } from "@orch/store";
import type { Change } from "../changes/change";
import type { EventRing } from "../changes/event-ring";
import type { StoredEntry } from "../objects/stored-entry";
import type { OrderedTree } from "./ordered-tree";

export type EntryTree = OrderedTree<StoredEntry>;

interface Snapshot {
  /** The tree is the state of every revision from `low` to `high`. */
  readonly low: number;
  high: number;
  readonly tree: EntryTree;
  expiresAt: number;
  /**
   * Bytes of its objects that later states do not have. Earlier snapshots count only the objects that no later snapshot
   * has.
   */
  heldBytes: number;
}

/** Lifetime of a continue token. Source: Kubernetes API concepts, "Retrieving large results sets in chunks". */
export const TOKEN_LIFETIME_MS = 5 * 60_000;
const KEPT_MAX = 64;
/** Limit for objects that only past states hold. The store answers clients that page through a dropped state. */
const HELD_MAX_BYTES = 16 * 1024 * 1024;
/** Maximum number of changes to undo. Beyond it, the state is read from the store. */
const UNDO_MAX = 2_000;

export class Snapshots {
  /** Ascending; the revision ranges do not overlap. */
  private kept: Snapshot[] = [];
  /** Sum over all kept snapshots. */
  private heldBytes = 0;

  constructor(
    private readonly clock: Clock,
    private readonly heldMaxBytes = HELD_MAX_BYTES,
  ) {}

  /**
   * Keeps a state for the lifetime of a token that names it. `since`: the revision of its last change; `until`: the
   * last revision before its next change.
   */
  keep(tree: EntryTree, { since, until }: { readonly since: number; readonly until: number }): void {
    this.add(tree, { since, until }, []);
  }

  /** @param undone the changes between the state and the next kept state, or the newest state */
  private add(tree: EntryTree, { since, until }: { since: number; until: number }, undone: readonly Change[]): void {
    const now = this.clock.elapsed();
    const expiresAt = now + TOKEN_LIFETIME_MS;
    const known = this.kept.find((snapshot) => snapshot.low === since);
    if (known !== undefined) {
      known.expiresAt = expiresAt;
      return;
    }
    this.dropExpired(now);
    if (this.kept.length >= KEPT_MAX) this.dropOldest();
    const before = this.kept.findLastIndex((snapshot) => snapshot.low < since);
    const heldBytes = bytesHeld(undone, since);
    // Objects that the preceding snapshot held last are now held last by the new snapshot.
    const former = this.kept[before];
    if (former !== undefined) this.holds(former, -bytesHeld(undone, former.low));
    const snapshot = { low: since, high: until, tree, expiresAt, heldBytes: 0 };
    this.kept.splice(before + 1, 0, snapshot);
    this.holds(snapshot, heldBytes);
    this.dropHeavy();
  }

  /**
   * QuotaLedgers for a change of the newest state that is about to happen. @param before the present entry of the
   * object
   */
  changed(revision: number, before: StoredEntry | undefined): void {
    if (this.kept.length === 0) return;
    this.dropExpired(this.clock.elapsed());
    const last = this.kept.at(-1);
    if (last === undefined) return;
    if (last.high === Number.POSITIVE_INFINITY) last.high = revision - 1;
    if (before === undefined || before.resourceVersion > last.low) return;
    this.holds(last, bytesOf(before));
    this.dropHeavy();
  }

  /**
   * Returns the state at a revision that the cache has passed.
   * @param now the newest state and the revision of its last change
   * @returns undefined when neither a kept state nor the ring reaches that far back
   */
  at(
    revision: number,
    now: { readonly tree: EntryTree; readonly since: number },
    ring: EventRing,
  ): EntryTree | undefined {
    if (revision >= now.since) return now.tree;
    const above = this.kept.find((snapshot) => snapshot.high >= revision);
    if (above !== undefined && above.low <= revision) return above.tree;
    if (revision < ring.startRevision) return undefined;
    const base = above ?? { tree: now.tree, low: now.since };
    const first = ring.sequenceAfter(revision);
    const end = ring.sequenceAfter(base.low);
    if (end - first > UNDO_MAX) return undefined;
    const changes = changesIn(ring, { first, end });
    const tree = undo(base.tree, changes);
    const since = ring.at(first - 1)?.revision ?? ring.startRevision;
    this.add(tree, { since, until: nextRevision(ring, first) - 1 }, changes);
    return tree;
  }

  private holds(snapshot: Snapshot, bytes: number): void {
    snapshot.heldBytes += bytes;
    this.heldBytes += bytes;
  }

  private dropHeavy(): void {
    while (this.heldBytes > this.heldMaxBytes && this.kept.length > 0) this.dropOldest();
  }

  /** Frees exactly the bytes counted for the oldest snapshot: objects shared with later snapshots are counted there. */
  private dropOldest(): void {
    const oldest = this.kept.shift();
    if (oldest !== undefined) this.heldBytes -= oldest.heldBytes;
  }

  private dropExpired(now: number): void {
    if (!this.kept.some(({ expiresAt }) => expiresAt <= now)) return;
    const former = this.kept;
    this.kept = [];
    this.heldBytes = 0;
    for (const snapshot of former) {
      if (snapshot.expiresAt > now) this.kept.push(snapshot);
      // The preceding snapshot may hold some of the same objects, but how many is unknown. All bytes are counted for
      // it.
      const holder = this.kept.at(-1);
      if (holder === snapshot) this.heldBytes += snapshot.heldBytes;
      else if (holder !== undefined) this.holds(holder, snapshot.heldBytes);
    }
  }
}

/** Bytes of the tree path that a past object occupies on its own once later states have another entry in its place. */
const PLACE_BYTES = 1024;

const bytesOf = (entry: StoredEntry): number => entry.weight + PLACE_BYTES;

/** Returns the bytes of objects that existed at the revision and that the changes replaced or deleted. */
function bytesHeld(changes: readonly Change[], revision: number): number {
  let bytes = 0;
  for (const { before } of changes)
    if (before !== undefined && before.resourceVersion <= revision) bytes += bytesOf(before);
  return bytes;
}

function nextRevision(ring: EventRing, sequence: number): number {
  return ring.at(sequence)?.revision ?? Number.POSITIVE_INFINITY;
}

function changesIn(ring: EventRing, { first, end }: { first: number; end: number }): readonly Change[] {
  const changes: Change[] = [];
  for (let sequence = first; sequence < end; sequence += 1) {
    const change = ring.at(sequence);
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

function undo(tree: EntryTree, changes: readonly Change[]): EntryTree {
  return changes.reduceRight((state, { path, before }) => {
    const key = orderForm(path);
    return before === undefined ? state.delete(key) : state.set(key, before);
  }, tree);
}
