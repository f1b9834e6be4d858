// Opens the journal in a folder: its own, or that of a former release, or a new one where there is no folder.

import { rmSync } from "node:fs";
import { resolve } from "node:path";
import type { Additions } from "../contract";
import { checkFormerIsFree, hasFormerStore, readFormerStore } from "../former/former-store";
import type { Journal, JournalContent } from "../local/journal";
import { asOpenError, StoreOpenError } from "../open-problem";
import { beginStore, isFolderThere } from "./begin-store";
import { type FreeBytes, freeBytesAt } from "./disk-room";
import { FileJournal } from "./file-journal";
import { lockFolder } from "./folder-lock";
import { listJournal } from "./journal-folder";
import { type JournalReading, readJournal } from "./journal-reader";
import type { JournalState } from "./journal-state";
import { makeJournal } from "./new-journal";
import { SegmentWriter } from "./segment-writer";

export interface JournalOptions {
  /** Of the disk that holds the folder; asked of the operating system when absent. */
  readonly freeBytes?: FreeBytes;
  /** See FileJournalParts. */
  readonly fileBytes?: number;
  readonly additions?: Additions | undefined;
}

/**
 * @param directory made when it does not exist
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
    // Only now: what is void because of another file was needed if that one could not be read.
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

/** A first file, of what a former release has left. @throws StoreOpenError gone, where that is nothing */
async function takeOver(directory: string, additions: Additions | undefined): Promise<JournalReading> {
  if (!hasFormerStore(directory)) {
    throw new StoreOpenError("gone", `the journal of the store in ${directory} is gone: no file of it is there`);
  }
  checkFormerIsFree(directory);
  const former = readFormerStore(directory);
  await makeJournal(directory, { from: 1, to: 1 }, former);
  former.markMoved();
  const reading = readJournal(directory, additions);
  if (reading === undefined) throw new StoreOpenError("unreadable", `what was written to ${directory} is not there`);
  return reading;
}

async function writerOf({ file, end, size }: JournalReading["newest"]): Promise<SegmentWriter> {
  const unsureUntil = end.kind === "torn" ? end.until : end.at;
  const writer = new SegmentWriter(file, { position: end.at, size, unsureUntil });
  // Nobody was told of a write that was cut short. A disk that does not even take zeros in its place is told of by the status.
  await writer.takeBack().catch(() => {});
  return writer;
}

function* leasesOf({ leases }: JournalState): Iterable<{ readonly id: number; readonly ttlSeconds: number }> {
  for (const [id, ttlSeconds] of leases) yield { id, ttlSeconds };
}
