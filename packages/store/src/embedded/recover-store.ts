// Recovers a store that cannot be opened to its newest readable state. Damaged parts are skipped and reported. The
// original files are kept beside it.

import { copyFileSync, linkSync, mkdirSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { KeyValue, Revision } from "../contract/contract";
import { asOpenError, StoreOpenError } from "../contract/open-problem";
import { decodeRecord } from "../journal-format/commit-record";
import { type JournalState, StateReading } from "../journal-format/journal-state";
import { type Damage, damageText, type Frame, salvageSegment } from "../journal-format/segment-scan";
import {
  checkLmdbStoreUnused,
  hasLmdbStore,
  lmdbFile,
  readLmdbStore,
  salvageLmdbStore,
} from "../lmdb-migration/lmdb-store";
import { type Commit, keyOf } from "../mvcc/version-index";
import { lockFolder } from "./folder-lock";
import { type FolderContent, type JournalFile, listJournal, syncDirectory } from "./journal-folder";
import { readJournal } from "./journal-reader";
import { inOrder, makeJournal, REVISION_LEAP } from "./new-journal";

export interface Recovered {
  /** Revision of the newest readable state. */
  readonly revision: Revision;
  readonly objects: number;
  /** Descriptions of the unreadable parts. Empty: the store is intact and was not changed. */
  readonly lost: readonly string[];
  /** Folder with the original files. */
  readonly keptIn: string | undefined;
}

/**
 * @param now names the folder for the original files
 * @throws StoreOpenError missing, inUse, noAccess, noRoom, unreadable; foreign: no part of it can be read
 */
export async function recoverStore(directory: string, now: Date): Promise<Recovered> {
  const path = resolve(directory);
  const lock = await lockFolder(path);
  try {
    return await recover(path, now);
  } catch (error) {
    throw asOpenError(`the store in ${path}`, error);
  } finally {
    await lock.release();
  }
}

async function recover(path: string, now: Date): Promise<Recovered> {
  const { files, covered } = listJournal(path);
  if (files.length === 0 && !hasLmdbStore(path)) throw new StoreOpenError("missing", `${path} contains no store`);
  if (files.length === 0) checkLmdbStoreUnused(path);
  const intact = whatIsThere(path);
  if (intact !== undefined) {
    const { items, revision } = stateAfter(intact);
    return { revision, objects: items.length, lost: [], keptIn: undefined };
  }
  const salvage = files.length > 0 ? salvageJournal({ files, covered }) : salvageMigrated(path);
  const { items, revision } = stateAfter(salvage);
  if (salvage.commits.length === 0)
    throw new StoreOpenError("foreign", `no record of the store in ${path} can be read`);
  const present = files.length > 0 ? [...files, ...covered].map((file) => file.path) : [lmdbFile(path)];
  const keptIn = keep(path, { present, now });
  const place = { from: 1, to: (files.at(-1)?.to ?? 0) + 1 };
  const compacted = revision + REVISION_LEAP;
  await makeJournal(path, place, { compacted, leases: salvage.state.leases, commits: inOrder(items) });
  for (const file of present) rmSync(file, { force: true });
  return { revision, objects: items.length, lost: salvage.lost, keptIn };
}

interface Content {
  /** Oldest first. */
  readonly commits: readonly Commit[];
  readonly state: JournalState;
}

/** @returns undefined when the store cannot be opened */
function whatIsThere(path: string): Content | undefined {
  try {
    const journal = readJournal(path);
    if (journal !== undefined) return journal;
    const migrated = readLmdbStore(path);
    return { commits: migrated.commits, state: migrated };
  } catch (error) {
    if (error instanceof StoreOpenError && !["noAccess", "unreadable", "newer"].includes(error.problem))
      return undefined;
    throw error;
  }
}

interface Salvage extends Content {
  readonly lost: readonly string[];
}

function salvageJournal({ files, covered }: Pick<FolderContent, "files" | "covered">): Salvage {
  const commits = new Map<Revision, Commit>();
  const state = new StateReading();
  const lost: string[] = [];
  /** @returns the last frame */
  const read = (file: JournalFile, damaged: (damage: Damage) => void): Frame | undefined => {
    let last: Frame | undefined;
    for (const frame of salvageSegment(file.path, damaged)) {
      last = frame;
      state.take(frame);
      if (frame.kind === "commit") commits.set(frame.revision, decodeRecord(frame.revision, frame.content));
    }
    return last;
  };
  // Obsolete files may hold what is lost in the file that replaces them.
  for (const file of covered) read(file, () => {});
  let place = 1;
  let last: Frame | undefined;
  for (const file of files) {
    if (file.from > place) lost.push(`file ${place} of the journal is missing`);
    const damages: string[] = [];
    last = read(file, (damage) => damages.push(damageText(damage)));
    lost.push(...(last === undefined ? [`no record of ${file.path} can be read`] : damages));
    place = file.to + 1;
  }
  if (last?.kind === "seal") lost.push(`file ${place} of the journal is missing`);
  return { commits: [...commits.values()].sort((a, b) => a.revision - b.revision), state, lost };
}

function salvageMigrated(path: string): Salvage {
  const lost: string[] = [];
  const migrated = salvageLmdbStore(path, (what) => lost.push(what));
  return { commits: migrated.commits, state: migrated, lost };
}

/** Returns the items after all commits, and the last revision. */
function stateAfter({ commits, state }: Content) {
  const items = new Map<string, KeyValue>();
  for (const { events } of commits) {
    for (const event of events) {
      if (event.kind === "put") items.set(event.item.key, event.item);
      else items.delete(keyOf(event));
    }
  }
  return { items: [...items.values()], revision: Math.max(state.compacted, commits.at(-1)?.revision ?? 0) };
}

/** Keeps each file under a second name. The original name stays in place the whole time. */
function keep(path: string, { present, now }: { readonly present: readonly string[]; readonly now: Date }): string {
  const folder = join(path, `damaged-${now.toISOString().replaceAll(":", "-")}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const file of present) {
    const kept = join(folder, basename(file));
    try {
      linkSync(file, kept);
    } catch {
      copyFileSync(file, kept);
    }
  }
  syncDirectory(folder);
  return folder;
}
