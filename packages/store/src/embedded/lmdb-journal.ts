// The journal on LMDB: a record per revision, the leases, and how far it is compacted. A batch is one LMDB transaction, synced to the
// disk before it counts as done: after a crash at any point the file holds exactly the batches that were finished.

import { mkdirSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { constants } from "node:os";
import { join, resolve } from "node:path";
import { open, type RootDatabase } from "lmdb";
import { type LeaseId, type Revision, StoreError } from "../contract";
import type { Journal, JournalContent } from "../local/journal";
import { type Commit, type Forgotten, keyOf } from "../local/version-index";
import { DiskRoom } from "./disk-room";
import { decodeRecord, encodeRecord } from "./journal-record";

type Key = Revision | "format" | "compacted" | ["lease", LeaseId];
type Database = RootDatabase<Buffer, Key>;

const FORMAT = "1";
/** Records that compaction touches in one transaction, so that writes get their turn between. */
const COMPACT_BATCH_RECORDS = 500;

/** Directories open in this process: LMDB would let a second opening share the first one's file. */
const openHere = new Set<string>();

/**
 * Opens the journal in `directory`, which is made when it does not exist.
 * @param freeBytes of the disk that holds it
 * @throws StoreError internal when another process has it open, or it is not a journal
 */
export function openLmdbJournal(
  directory: string,
  freeBytes: () => Promise<number> = () => freeBytesAt(resolve(directory)),
): {
  readonly journal: LmdbJournal;
  readonly content: JournalContent;
} {
  const path = resolve(directory);
  if (openHere.has(path)) throw new StoreError("internal", `the store in ${path} is already open in this process`);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const database: Database = open<Buffer, Key>({
    path,
    noSubdir: false,
    encoding: "binary",
    // A transaction is then on the disk when it is reported as committed.
    overlappingSync: false,
    // Its own batching keeps a promise that nobody can hear fail; batches are made here.
    eventTurnBatching: false,
    maxReaders: 16,
  });
  try {
    refuseSecondProcess(database, path);
    const content = readContent(database, path);
    openHere.add(path);
    return { journal: new LmdbJournal(database, path, freeBytes), content };
  } catch (error) {
    void database.close();
    throw error;
  }
}

class LmdbJournal implements Journal {
  readonly #database: Database;
  readonly #path: string;
  /** Revisions of a batch that failed; should some be on the disk after all, the next batch removes them. */
  #failed: readonly Revision[] = [];

  readonly #room: DiskRoom;

  constructor(database: Database, path: string, freeBytes: () => Promise<number>) {
    this.#database = database;
    this.#path = path;
    this.#room = new DiskRoom({ freeBytes, now: () => performance.now() });
  }

  async append(commits: readonly Commit[]): Promise<void> {
    const records = commits.map(({ events }) => encodeRecord(events));
    await this.#room.claim(records);
    try {
      await this.#write(() => {
        for (const revision of this.#failed) this.#remove(revision);
        for (const [index, { revision }] of commits.entries()) this.#put(revision, records[index] as Buffer);
      });
      this.#failed = [];
    } catch (error) {
      this.#failed = [...this.#failed, ...commits.map(({ revision }) => revision)];
      throw error;
    }
  }

  async compact(revision: Revision, forgotten: readonly Forgotten[]): Promise<void> {
    const byRecord = new Map<Revision, Set<string>>();
    // Oldest first: a crash half way may leave a deletion without what it deleted, never the other way round.
    for (const { revision, key } of forgotten.toSorted((a, b) => a.revision - b.revision)) {
      const keys = byRecord.get(revision);
      if (keys === undefined) byRecord.set(revision, new Set([key]));
      else keys.add(key);
    }
    const records = [...byRecord];
    await this.#write(() => this.#put("compacted", Buffer.from(String(revision))));
    for (let at = 0; at < records.length; at += COMPACT_BATCH_RECORDS) {
      await this.#write(() => {
        for (const [record, keys] of records.slice(at, at + COMPACT_BATCH_RECORDS)) this.#forget(record, keys);
      });
    }
  }

  async saveLease(id: LeaseId, ttlSeconds: number): Promise<void> {
    const record = Buffer.from(String(ttlSeconds));
    await this.#room.claim([record]);
    await this.#write(() => this.#put(["lease", id], record));
  }

  dropLease(id: LeaseId): Promise<void> {
    return this.#write(() => this.#remove(["lease", id]));
  }

  size(): number {
    return statSync(join(this.#path, "data.mdb")).size;
  }

  async close(): Promise<void> {
    await this.#database.close();
    openHere.delete(this.#path);
  }

  async #write(action: () => void): Promise<void> {
    try {
      await this.#database.batch(action);
    } catch (error) {
      throw await writeError(error);
    }
  }

  // Each operation has a promise of its own, which fails with its batch; the batch's is the one that is heard.
  #put(key: Key, record: Buffer): void {
    this.#database.put(key, record).catch(ignore);
  }

  #remove(key: Key): void {
    this.#database.remove(key).catch(ignore);
  }

  #forget(revision: Revision, keys: ReadonlySet<string>): void {
    const record = this.#database.get(revision);
    if (record === undefined) return;
    const kept = decodeRecord(revision, record).events.filter((event) => !keys.has(keyOf(event)));
    if (kept.length === 0) this.#remove(revision);
    else this.#put(revision, encodeRecord(kept));
  }
}

async function freeBytesAt(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

/** LMDB lists who reads a file, by process; entries of processes that are gone are cleared first. */
function refuseSecondProcess(database: Database, path: string): void {
  database.get("format"); // reading enters this process into the list
  database.readerCheck();
  const readers = [...String(database.readerList()).matchAll(/^\s*(\d+)\s/gm)].map(([, pid]) => Number(pid));
  const other = readers.find((pid) => pid !== process.pid);
  if (other !== undefined) {
    throw new StoreError("internal", `the store in ${path} is in use by another process (${other})`);
  }
}

function readContent(database: Database, path: string): JournalContent {
  const format = database.get("format")?.toString();
  if (format === undefined) database.putSync("format", Buffer.from(FORMAT));
  else if (format !== FORMAT) throw new StoreError("internal", `the store in ${path} has the unknown format ${format}`);
  const leases = [...database.getRange({ start: ["lease", 0], end: ["lease", Number.MAX_SAFE_INTEGER] })];
  return {
    compacted: Number(database.get("compacted")?.toString() ?? 0),
    commits: commitsOf(database),
    leases: leases.map(({ key, value }) => ({ id: (key as ["lease", LeaseId])[1], ttlSeconds: Number(value) })),
  };
}

function* commitsOf(database: Database): Iterable<Commit> {
  for (const { key, value } of database.getRange({ start: 0, end: Number.MAX_SAFE_INTEGER })) {
    yield decodeRecord(key as Revision, value);
  }
}

const ignore = () => {};
/** EIO is what LMDB makes of a write that was cut short, which is how a disk fills up too. */
const { ENOSPC, EDQUOT, EIO } = constants.errno;
const FULL: readonly unknown[] = [ENOSPC, EDQUOT, EIO];

/** LMDB's "commit failed" carries the reason as a promise that is rejected with it. */
async function writeError(error: unknown): Promise<StoreError> {
  const reason = await Promise.resolve((error as { readonly commitError?: unknown }).commitError).catch((why) => why);
  const { code, message } = (reason ?? error) as { readonly code?: unknown; readonly message?: string };
  return new StoreError(FULL.includes(code) ? "full" : "internal", `the journal cannot be written: ${message}`, {
    cause: error,
  });
}
