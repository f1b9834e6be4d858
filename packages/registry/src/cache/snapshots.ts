// The states of one resource at past revisions: kept for those who page through them, or made again by undoing recent changes.
//
//   changes at 5, 8        a snapshot taken at 6 is the state of revisions 5 to 7
//   asked for 4, ring starts at 3: the state now, with 8 and then 5 undone

import type { Clock } from "@orch/platform";
import { orderForm } from "@orch/store";
import type { StoredEntry } from "../objects/stored-entry";
import type { EventRing } from "./event-ring";
import type { OrderedTree } from "./ordered-tree";

export type EntryTree = OrderedTree<StoredEntry>;

interface Snapshot {
  /** The state of every revision from `low` to `high`. */
  readonly low: number;
  high: number;
  readonly tree: EntryTree;
  expiresAt: number;
}

/** Lifetime of a continue token. Source: resource-api, "Limits". */
export const TOKEN_LIFETIME_MS = 5 * 60_000;
const KEPT_MAX = 64;
/** Past this many changes the store is asked instead. */
const UNDO_MAX = 2_000;

export class Snapshots {
  /** Ascending; their revisions do not overlap. */
  private kept: Snapshot[] = [];

  constructor(private readonly clock: Clock) {}

  /** Keeps a state for as long as a token for it lives. `since`: the revision of its last change; `until`: before its next one. */
  keep(tree: EntryTree, { since, until }: { readonly since: number; readonly until: number }): void {
    const now = this.clock.now();
    const expiresAt = now + TOKEN_LIFETIME_MS;
    const known = this.kept.find((snapshot) => snapshot.low === since);
    if (known !== undefined) {
      known.expiresAt = expiresAt;
      return;
    }
    this.dropExpired(now);
    if (this.kept.length >= KEPT_MAX) this.kept.shift();
    const at = this.kept.findIndex((snapshot) => snapshot.low > since);
    this.kept.splice(at < 0 ? this.kept.length : at, 0, { low: since, high: until, tree, expiresAt });
  }

  /** The newest state is about to change. */
  changed(revision: number): void {
    if (this.kept.length === 0) return;
    this.dropExpired(this.clock.now());
    const last = this.kept.at(-1);
    if (last !== undefined && last.high === Number.POSITIVE_INFINITY) last.high = revision - 1;
  }

  /**
   * The state at a revision that the cache has passed.
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
    const tree = undo(base.tree, ring, { first, end });
    this.keep(tree, {
      since: ring.at(first - 1)?.revision ?? ring.startRevision,
      until: nextRevision(ring, first) - 1,
    });
    return tree;
  }

  private dropExpired(now: number): void {
    if (this.kept.some(({ expiresAt }) => expiresAt <= now)) {
      this.kept = this.kept.filter(({ expiresAt }) => expiresAt > now);
    }
  }
}

function nextRevision(ring: EventRing, sequence: number): number {
  return ring.at(sequence)?.revision ?? Number.POSITIVE_INFINITY;
}

function undo(tree: EntryTree, ring: EventRing, { first, end }: { first: number; end: number }): EntryTree {
  let state = tree;
  for (let sequence = end - 1; sequence >= first; sequence -= 1) {
    const change = ring.at(sequence);
    if (change === undefined) continue;
    const key = orderForm(change.path);
    state = change.before === undefined ? state.delete(key) : state.set(key, change.before);
  }
  return state;
}
