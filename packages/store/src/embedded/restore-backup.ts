// Creates a store from a backup. Its revision is higher than any that was written since the backup was taken.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { makeFolder } from "@orch/platform";
import type { KeyValue, Revision } from "../contract/contract";
import { asOpenError, StoreOpenError, withFiles } from "../contract/open-problem";
import { BACKUP_FORMAT, type BackupContent, type BackupEnd, type BackupHead } from "../journal-format/backup-pieces";
import { decodeRecord } from "../journal-format/commit-record";
import { BACKUP_FILE, type Frame, scanSegment } from "../journal-format/segment-scan";
import { hasLmdbStore } from "../lmdb-migration/lmdb-store";
import { lockFolder } from "./folder-lock";
import { listJournal } from "./journal-folder";
import { inOrder, makeJournal, REVISION_LEAP } from "./new-journal";

export interface Restored {
  /** Revision of the backup. */
  readonly revision: Revision;
  readonly objects: number;
}

/**
 * Restores a backup. @param directory must not contain a store
 * @throws StoreOpenError exists, inUse; damaged, cut, foreign, empty, newer of the backup; noAccess, noRoom, unreadable
 */
export async function restoreBackup(file: string, directory: string): Promise<Restored> {
  const path = resolve(directory);
  const content = withFiles("the backup", () => readBackup(resolve(file)));
  // The store is created in its final place: a server rejects a half-made store there, instead of creating an empty
  // one.
  withFiles(`the store in ${path}`, () => makeFolder(path, 0o700));
  const lock = await lockFolder(path);
  try {
    if (listJournal(path).files.length > 0 || hasLmdbStore(path)) {
      throw new StoreOpenError("exists", `${path} contains a store already: move it away, or name another folder`);
    }
    const { revision, leases, items } = content;
    const compacted = revision + REVISION_LEAP;
    await makeJournal(path, { from: 1, to: 1 }, { compacted, leases, commits: inOrder(items) });
    return { revision, objects: items.length };
  } catch (error) {
    throw asOpenError(`the store in ${path}`, error);
  } finally {
    await lock.release();
  }
}

/** @throws StoreOpenError damaged, cut, foreign, empty, newer, missing */
function readBackup(path: string): BackupContent {
  const items: KeyValue[] = [];
  const head = readRecords(path, (item) => void items.push(item));
  return { revision: head.revision, leases: new Map(head.leases), items };
}

/** Reads all records of a backup, whose last one must confirm their number. */
function readRecords(path: string, found: (item: KeyValue) => void): BackupHead {
  if (!existsSync(path)) throw new StoreOpenError("missing", `the file ${path} does not exist`);
  let count = 0;
  let head: BackupHead | undefined;
  let end: BackupEnd | undefined;
  for (const frame of scanSegment(path, BACKUP_FILE)) {
    if (frame.kind === "backup") head = headIn(path, frame);
    else if (frame.kind === "commit") {
      found(itemIn(frame));
      count += 1;
    } else if (frame.kind === "backupEnd") end = JSON.parse(frame.content.toString()) as BackupEnd;
  }
  if (head === undefined || end?.count !== count) throw new StoreOpenError("cut", `${path} is not a complete backup`);
  return head;
}

function headIn(path: string, { content }: Frame): BackupHead {
  const head = JSON.parse(content.toString()) as BackupHead;
  if (head.format === BACKUP_FORMAT) return head;
  throw new StoreOpenError("newer", `${path} has format ${head.format}; this release reads format ${BACKUP_FORMAT}`);
}

function itemIn({ revision, content }: Frame): KeyValue {
  const [event] = decodeRecord(revision, content).events;
  if (event?.kind !== "put") throw new StoreOpenError("foreign", "the backup contains a record of an unexpected kind");
  return event.item;
}
