// A journal that begins with a whole content: from a backup, an earlier release, or a damaged journal.

import { type KeyValue, type Revision, StoreError } from "../contract/contract";
import { StoreOpenError } from "../contract/open-problem";
import { framesInPieces } from "../journal-format/commit-record";
import type { JournalState } from "../journal-format/journal-state";
import type { Commit } from "../mvcc/version-index";
import { FIRST_ROOM_BYTES } from "./file-journal";
import { beginning, type Place } from "./journal-folder";
import { makeSegment } from "./segment-writer";

/**
 * Distance of the new revision from the last known one, after which revisions may have been written and lost. It
 * exceeds what a store writes in between, 10,000 revisions per second for a day. Revisions that clients have seen are
 * then older than the compacted one, and never denote something else: clients get Expired and list again.
 */
export const REVISION_LEAP = 1_000_000_000;

export interface NewJournal extends JournalState {
  /** Oldest first. */
  readonly commits: Iterable<Commit>;
}

export const NO_CONTENT: NewJournal = { compacted: 0, leases: new Map(), commits: [] };

/**
 * Creates the journal. @param place of its only file; other files that it covers are obsolete from then on
 * @throws StoreOpenError noRoom, unreadable
 */
export async function makeJournal(directory: string, place: Place, content: NewJournal): Promise<void> {
  try {
    await makeSegment(directory, place, { pieces: piecesOf(place, content), ahead: FIRST_ROOM_BYTES });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const problem = error.code === "full" ? "noRoom" : "unreadable";
    throw new StoreOpenError(problem, `cannot create a store in ${directory}: ${error.message}`, { cause: error });
  }
}

function* piecesOf(place: Place, content: NewJournal): Iterable<Buffer> {
  yield beginning(place, content);
  yield* framesInPieces(content.commits);
}

/** Groups items by the revision of their last write, in order. */
export function inOrder(items: readonly KeyValue[]): readonly Commit[] {
  const byRevision = new Map<Revision, KeyValue[]>();
  for (const item of items) {
    const others = byRevision.get(item.modRevision);
    if (others === undefined) byRevision.set(item.modRevision, [item]);
    else others.push(item);
  }
  return [...byRevision]
    .sort(([a], [b]) => a - b)
    .map(([revision, together]) => ({ revision, events: together.map((item) => ({ kind: "put", item }) as const) }));
}
