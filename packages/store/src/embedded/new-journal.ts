// A journal that begins with a whole content: of a backup, of a former release, or what is left of a damaged one.

import { type KeyValue, type Revision, StoreError } from "../contract";
import type { Commit } from "../local/version-index";
import { StoreOpenError } from "../open-problem";
import { FIRST_ROOM_BYTES } from "./file-journal";
import { framesInPieces } from "./frame-pieces";
import { beginning, type Place } from "./journal-folder";
import type { JournalState } from "./journal-state";
import { makeSegment } from "./segment-writer";

/**
 * How far the revision of such a journal is ahead of what is known of the former one, where something may have been written after that and been lost:
 * more than a store makes in between, 10,000 a second for a day. Whatever clients have seen is then behind it, and never a revision that means
 * something else now: they are told that what they know is too old, and read anew.
 */
export const REVISION_LEAP = 1_000_000_000;

export interface NewJournal extends JournalState {
  /** Oldest first. */
  readonly commits: Iterable<Commit>;
}

export const NO_CONTENT: NewJournal = { compacted: 0, leases: new Map(), commits: [] };

/**
 * @param place of its one file: other files that it covers are void from then on
 * @throws StoreOpenError noRoom, unreadable
 */
export async function makeJournal(directory: string, place: Place, content: NewJournal): Promise<void> {
  try {
    await makeSegment(directory, place, { pieces: piecesOf(place, content), ahead: FIRST_ROOM_BYTES });
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const problem = error.code === "full" ? "noRoom" : "unreadable";
    throw new StoreOpenError(problem, `no store can be made in ${directory}: ${error.message}`, { cause: error });
  }
}

function* piecesOf(place: Place, content: NewJournal): Iterable<Buffer> {
  yield beginning(place, content);
  yield* framesInPieces(content.commits);
}

/** Items by the revision of their last write, what was written together together. */
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
