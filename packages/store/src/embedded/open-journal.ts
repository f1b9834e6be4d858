// Opens the journal in a folder: the present one, one of an earlier release, or a new one when there is no folder.

import { rmSync } from "node:fs";
import { resolve } from "node:path";
import type { Additions } from "../contract/contract";
import { asOpenError, StoreOpenError } from "../contract/open-problem";
import type { JournalState } from "../journal-format/journal-state";
import { checkLmdbStoreUnused, hasLmdbStore, readLmdbStore } from "../lmdb-migration/lmdb-store";
import type { Journal, JournalContent } from "../local/journal";
import { beginStore, isFolderThere } from "./begin-store";
import { type FreeBytes, freeBytesAt } from "./disk-space";
import { FileJournal } from "./file-journal";
import { lockFolder } from "./folder-lock";
import { listJournal } from "./journal-folder";
import { type JournalReading, readJournal } from "./journal-reader";
import { makeJournal } from "./new-journal";
import { SegmentWriter } from "./segment-writer";

export interface JournalOptions {
  /** Free space of the disk that holds the folder. Default: asks the operating system. */
  readonly freeBytes?: FreeBytes;
  /** See FileJournalParts. */
  readonly fileBytes?: number;
  readonly additions?: Additions | undefined;
}

/**
 * @param directory created when it does not exist
 * @throws StoreOpenError
 */
export async function openJournal(
  directory: string,
  { freeBytes = () => freeBytesAt(directory), fileBytes, additions }: JournalOptions = {},
): Promise<{ readonly journal: Journal; readonly content: JournalContent }> {
  const path = resolve(directory);
  if (!isFolderThere(path)) await beginStore(path);
  const lock = await lockFolder(path);
  try {
    const reading = readJournal(path, additions) ?? (await takeOver(path, additions));
    // Obsolete files are removed only now: they would be needed if the files that replace them could not be read.
    const { covered, unfinished } = listJournal(path);
    for (const file of [...covered.map((each) => each.path), ...unfinished]) rmSync(file, { force: true });
    const { state, sealed, newest, commits } = reading;
    const writer = await writerOf(newest);
    const parts = { directory: path, lock, freeBytes, ...(fileBytes !== undefined && { fileBytes }) };
    return {
      journal: new FileJournal(parts, { state, sealed, newest, writer }),
      content: { compacted: state.compacted, commits, leases: leasesOf(state) },
    };
  } catch (error) {
    await lock.release();
    throw asOpenError(`the store in ${path}`, error);
  }
}

/** Creates the first file from the store of an earlier release. @throws StoreOpenError gone, when there is none */
async function takeOver(directory: string, additions: Additions | undefined): Promise<JournalReading> {
  if (!hasLmdbStore(directory)) {
    throw new StoreOpenError("gone", `the store in ${directory} has lost its journal: none of its files exists`);
  }
  checkLmdbStoreUnused(directory);
  const migrated = readLmdbStore(directory);
  await makeJournal(directory, { from: 1, to: 1 }, migrated);
  migrated.markMoved();
  const reading = readJournal(directory, additions);
  if (reading === undefined)
    throw new StoreOpenError("unreadable", `the journal just written to ${directory} cannot be found`);
  return reading;
}

async function writerOf({ file, end, size }: JournalReading["newest"]): Promise<SegmentWriter> {
  const unsureUntil = end.kind === "torn" ? end.until : end.at;
  const writer = new SegmentWriter(file, { position: end.at, size, unsureUntil });
  // The incomplete write was never acknowledged. If the disk does not even accept zeros in its place, the status
  // reports it.
  await writer.takeBack().catch(() => {});
  return writer;
}

function* leasesOf({ leases }: JournalState): Iterable<{ readonly id: number; readonly ttlSeconds: number }> {
  for (const [id, ttlSeconds] of leases) yield { id, ttlSeconds };
}
