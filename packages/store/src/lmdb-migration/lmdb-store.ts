// Reads the embedded store of release 0.1: one LMDB file with a record per revision, a record per lease, and two named
// records. It is read once, when a later release first opens its folder. It stays beside the new journal, marked so that
// release 0.1 does not write to it. Release 0.3.0 removes this folder: a store of release 0.1 is upgraded through 0.2.

import {
  closeSync,
  existsSync,
  fsyncSync,
  constants as modes,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { LeaseId, Revision } from "../contract/contract";
import { StoreOpenError } from "../contract/open-problem";
import { decodeRecord } from "../journal-format/commit-record";
import type { Commit } from "../mvcc/version-index";
import { type LmdbRecord, readLmdb, salvageLmdb } from "./lmdb-pages";

/** Values of the record "format". */
const FORMAT = "1";
const MOVED = "2";

export interface LmdbStore {
  readonly compacted: Revision;
  /** Oldest first. */
  readonly commits: readonly Commit[];
  readonly leases: ReadonlyMap<LeaseId, number>;
  /** Marks the file as moved. To be called when the new journal is on the disk. */
  markMoved(): void;
}

export const lmdbFile = (directory: string): string => join(directory, "data.mdb");

export const hasLmdbStore = (directory: string): boolean => existsSync(lmdbFile(directory));

/** @throws StoreOpenError inUse, while a server of an earlier release still writes to it */
export function checkLmdbStoreUnused(directory: string): void {
  const holder = processThatMaps(lmdbFile(directory));
  if (holder === undefined) return;
  throw new StoreOpenError("inUse", `the store in ${directory} is in use by another process (${holder})`);
}

/**
 * @throws StoreOpenError damaged, cut, foreign, empty; missing: its content was moved to a journal that is not there
 */
export function readLmdbStore(directory: string): LmdbStore {
  const path = lmdbFile(directory);
  const reading = new Reading(path);
  for (const record of readLmdb(path)) reading.take(record);
  const { format } = reading;
  if (format?.value.toString() === MOVED) {
    throw new StoreOpenError("missing", `the journal converted from ${path} does not exist`);
  }
  if (format?.value.toString() !== FORMAT) throw new StoreOpenError("foreign", `${path} does not belong to a store`);
  return reading;
}

/** @param told called with descriptions of the unreadable parts */
export function salvageLmdbStore(directory: string, told: (what: string) => void): LmdbStore {
  const path = lmdbFile(directory);
  const reading = new Reading(path);
  for (const record of salvageLmdb(path, told)) {
    try {
      reading.take(record);
    } catch (error) {
      told((error as Error).message);
    }
  }
  return reading;
}

class Reading implements LmdbStore {
  readonly commits: Commit[] = [];
  readonly leases = new Map<LeaseId, number>();
  compacted: Revision = 0;
  format: LmdbRecord | undefined;

  constructor(private readonly path: string) {}

  take(record: LmdbRecord): void {
    const { key, value } = record;
    const name = key.toString("latin1");
    if (isNumber(key)) this.commits.push(this.commitIn(numberIn(key), value));
    else if (name === "format") this.format = record;
    else if (name === "compacted") this.compacted = this.number(value);
    else if (name.startsWith(LEASE)) this.leases.set(numberIn(key.subarray(LEASE.length)), this.number(value));
    else
      throw new StoreOpenError(
        "foreign",
        `${this.path} contains a record that does not belong to a store: ${JSON.stringify(name)}`,
      );
  }

  markMoved(): void {
    if (this.format === undefined) return;
    const descriptor = openSync(this.path, modes.O_WRONLY);
    try {
      writeSync(descriptor, MOVED, this.format.at);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  private commitIn(revision: Revision, value: Buffer): Commit {
    try {
      if (!Number.isSafeInteger(revision)) throw new RangeError("the revision is missing");
      return decodeRecord(revision, value);
    } catch (error) {
      const why = (error as Error).message;
      throw new StoreOpenError("damaged", `the record of revision ${revision} in ${this.path} is damaged: ${why}`);
    }
  }

  private number(value: Buffer): number {
    const text = value.toString();
    if (!/^\d+$/.test(text))
      throw new StoreOpenError("damaged", `${this.path} contains ${JSON.stringify(text)} in place of a number`);
    return Number(text);
  }
}

/**
 * Finds the server of an earlier release, which maps the file while it runs.
 * @returns its process id, if this user may see it
 */
function processThatMaps(path: string): string | undefined {
  if (process.platform !== "linux") return undefined;
  const mapped = realpathSync(path);
  return readdirSync("/proc").find((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/maps`, "utf8")
        .split("\n")
        .some((line) => line.endsWith(` ${mapped}`));
    } catch {
      return false; // the process has ended, or belongs to another user
    }
  });
}

/** Prefix of lease keys. Keys are strings, numbers, or a string and a number separated by a zero byte. */
const LEASE = "lease\0";

const isNumber = (key: Buffer): boolean => key.length > 0 && (key[0] as number) >> 3 === 2;

/**
 * Decodes a number in a key: the bits 0001, then those of a positive double without its sign. Trailing zero bytes are
 * omitted.
 */
function numberIn(key: Buffer): number {
  const whole = Buffer.alloc(9);
  key.copy(whole);
  const bits = ((whole.readBigUInt64BE() & 0x0fff_ffff_ffff_ffffn) << 4n) | BigInt((whole[8] as number) >> 4);
  const double = Buffer.alloc(8);
  double.writeBigUInt64BE(bits);
  return double.readDoubleBE();
}
