// Reads the frames of one journal file, and distinguishes an interrupted write from damage. The last frame is followed
// by allocated space: zeros that were on the disk before anything was written. Therefore:
//
//   frames, then zeros                      the clean end
//   frames, then the end of the file        cut: some zeros are always left, and a full file ends with a seal
//   a broken frame, then one of a later write
//                                           damage: the later write began only when this one was on the disk
//   a broken frame of the last write, a whole sector of which is zeros
//                                           torn: power or process failed during a write that was not acknowledged
//   anything else                           damage

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { Revision } from "../contract/contract";
import { StoreOpenError } from "../contract/open-problem";
import { keysIn } from "./commit-record";
import { decodeHead, type FrameHead, type FrameKind, frameLength, HEAD_BYTES, isIntact } from "./frame";

/** The smallest unit that a disk writes atomically. */
const SECTOR_BYTES = 512;
const ALIGNMENT = 8;
const CHUNK_BYTES = 1024 * 1024;
/** Larger than any transaction: a head with a larger length was not written here. */
const CONTENT_MAX_BYTES = 1024 * 1024 * 1024;
/** Zeros that are kept after the last frame of a file without a seal. */
export const ROOM_KEPT_BYTES = 4096;

export interface Frame {
  readonly kind: FrameKind;
  readonly revision: Revision;
  /** Valid until the next frame is requested. */
  readonly content: Buffer;
  /** Start of the frame in its file, and start of the next one. */
  readonly at: number;
  readonly end: number;
}

export type ScanEnd =
  | { readonly kind: "sealed"; readonly at: number }
  | { readonly kind: "room"; readonly at: number }
  /** @param until only zeros follow from this position on */
  | { readonly kind: "torn"; readonly at: number; readonly until: number };

/** Description of a damaged frame. */
export interface Damage {
  readonly path: string;
  readonly at: number;
  /** 0: unknown. */
  readonly revision: Revision;
  /** Keys of the record, if they can be decoded. */
  readonly keys: readonly string[];
}

/** The kinds of the first and the last frame of a file. */
export interface FileKind {
  readonly first: FrameKind;
  readonly last: FrameKind;
}

const JOURNAL_FILE: FileKind = { first: "file", last: "seal" };
export const BACKUP_FILE: FileKind = { first: "backup", last: "backupEnd" };

/**
 * Reads the frames of a file. @returns the kind of its end
 * @throws StoreOpenError damaged, cut, foreign, empty
 */
export function* scanSegment(path: string, { first, last } = JOURNAL_FILE): Generator<Frame, ScanEnd> {
  const bytes = new FileBytes(path);
  try {
    checkBeginning(bytes, first);
    for (let at = 0; ; ) {
      const frame = frameAt(bytes, at);
      if (frame === undefined) return endAt(bytes, at);
      yield frame;
      at = frame.end;
      if (frame.kind === last) return { kind: "sealed", at };
    }
  } finally {
    bytes.close();
  }
}

/** Reads what can be read: skips damaged parts and continues at the next intact frame. */
export function* salvageSegment(path: string, damaged: (damage: Damage) => void): Generator<Frame, void> {
  const bytes = new FileBytes(path);
  try {
    for (let at = 0; at !== undefined && at < bytes.size; ) {
      const frame = frameAt(bytes, at);
      if (frame !== undefined) {
        yield frame;
        at = frame.end;
        continue;
      }
      const next = nextIntact(bytes, at);
      if (next !== undefined || bytes.endOfData(at) > at) damaged(damageAt(bytes, at));
      if (next === undefined) return;
      at = next;
    }
  } finally {
    bytes.close();
  }
}

function checkBeginning(bytes: FileBytes, first: FrameKind): void {
  const { path, size } = bytes;
  if (size === 0) throw new StoreOpenError("empty", `${path} is empty`);
  if (size < HEAD_BYTES) throw new StoreOpenError("cut", `${path} is truncated to ${size} bytes`);
  const head = decodeHead(bytes.at(0, HEAD_BYTES), 0);
  if (head?.kind === first) return;
  if (head === undefined && nextIntact(bytes, 0) !== undefined) throw damagedError(damageAt(bytes, 0));
  throw new StoreOpenError(
    "foreign",
    `${path} is not a ${first === "backup" ? "backup" : "journal"}, or all of its content is lost`,
  );
}

function frameAt(bytes: FileBytes, at: number): Frame | undefined {
  const head = headAt(bytes, at);
  if (head === undefined) return undefined;
  const end = at + frameLength(head.length);
  if (end > bytes.size) return undefined;
  const content = bytes.at(at + HEAD_BYTES, head.length);
  if (!isIntact(head, content)) return undefined;
  return { kind: head.kind, revision: head.revision, content, at, end };
}

function headAt(bytes: FileBytes, at: number): FrameHead | undefined {
  if (at + HEAD_BYTES > bytes.size) return undefined;
  const head = decodeHead(bytes.at(at, HEAD_BYTES), 0);
  return head !== undefined && head.length <= CONTENT_MAX_BYTES ? head : undefined;
}

/** Classifies the end of the frames, at a position where no intact frame begins. */
function endAt(bytes: FileBytes, at: number): ScanEnd {
  const until = bytes.endOfData(at);
  if (until === at) {
    if (bytes.size - at >= ROOM_KEPT_BYTES) return { kind: "room", at };
    throw new StoreOpenError("cut", `${bytes.path} is truncated after byte ${at}`);
  }
  const head = headAt(bytes, at);
  const end = at + (head === undefined ? HEAD_BYTES : frameLength(head.length));
  if (end > bytes.size)
    throw new StoreOpenError("cut", `${bytes.path} is truncated in the middle of a record, after byte ${at}`);
  if (isFollowedByWrite(bytes, at) || !hasUnwrittenPart(bytes, at, end)) throw damagedError(damageAt(bytes, at));
  return { kind: "torn", at, until };
}

/** Whether a frame after `at` belongs to a write that also began after `at`. */
function isFollowedByWrite(bytes: FileBytes, at: number): boolean {
  for (let next = nextIntact(bytes, at); next !== undefined; next = nextIntact(bytes, next)) {
    if (next - (headAt(bytes, next)?.back ?? 0) > at) return true;
  }
  return false;
}

function hasUnwrittenPart(bytes: FileBytes, start: number, end: number): boolean {
  for (let at = start; at < end; ) {
    const partEnd = Math.min(end, (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES);
    if (bytes.at(at, partEnd - at).every((byte) => byte === 0)) return true;
    at = partEnd;
  }
  return false;
}

/** Returns the start of the next intact frame after `at`. */
function nextIntact(bytes: FileBytes, at: number): number | undefined {
  const end = bytes.endOfData(at);
  for (let next = at + ALIGNMENT; next < end; next += ALIGNMENT) {
    if (headAt(bytes, next) !== undefined && frameAt(bytes, next) !== undefined) return next;
  }
  return undefined;
}

function damageAt(bytes: FileBytes, at: number): Damage {
  const head = headAt(bytes, at);
  if (head === undefined) return { path: bytes.path, at, revision: 0, keys: [] };
  const length = Math.min(head.length, bytes.size - at - HEAD_BYTES);
  const keys = head.kind === "commit" ? keysIn(Buffer.from(bytes.at(at + HEAD_BYTES, length))) : [];
  return { path: bytes.path, at, revision: head.revision, keys };
}

export function damageText({ path, at, revision, keys }: Damage): string {
  const which = revision > 0 ? `the record of revision ${revision}` : "a record";
  const about = keys.length > 0 ? ` (${keys.slice(0, 3).join(", ")}${keys.length > 3 ? ", …" : ""})` : "";
  return `${which}${about} in ${path}, byte ${at}, is corrupt`;
}

const damagedError = (damage: Damage) => new StoreOpenError("damaged", damageText(damage));

/** The bytes of a file by position, read in large pieces. */
class FileBytes {
  readonly size: number;
  private readonly descriptor: number;
  private memory = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  private chunk = this.memory.subarray(0, 0);
  private chunkAt = 0;
  private knownEnd: number | undefined;

  constructor(readonly path: string) {
    this.descriptor = openSync(path, "r");
    this.size = fstatSync(this.descriptor).size;
  }

  /** Valid until the next call. The caller must stay within `size`. */
  at(start: number, length: number): Buffer {
    const from = start - this.chunkAt;
    if (from >= 0 && from + length <= this.chunk.length) return this.chunk.subarray(from, from + length);
    const wanted = Math.min(Math.max(length, CHUNK_BYTES), this.size - start);
    if (this.memory.length < wanted) this.memory = Buffer.allocUnsafeSlow(wanted);
    const chunk = this.memory.subarray(0, wanted);
    let filled = 0;
    while (filled < chunk.length) {
      const read = readSync(this.descriptor, chunk, filled, chunk.length - filled, start + filled);
      if (read === 0) throw new StoreOpenError("cut", `${this.path} was truncated while it was read`);
      filled += read;
    }
    this.chunk = chunk;
    this.chunkAt = start;
    return chunk.subarray(0, length);
  }

  /** Returns the position after the last byte that is not zero; `from` when no such byte follows. */
  endOfData(from: number): number {
    this.knownEnd ??= this.findEnd(from);
    return Math.max(from, this.knownEnd);
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private findEnd(from: number): number {
    let end = from;
    for (let at = from; at < this.size; at += CHUNK_BYTES) {
      const chunk = this.at(at, Math.min(CHUNK_BYTES, this.size - at));
      if (chunk.equals(ZEROS.subarray(0, chunk.length))) continue;
      let last = chunk.length - 1;
      while (chunk[last] === 0) last -= 1;
      end = at + last + 1;
    }
    return end;
  }
}

const ZEROS = Buffer.alloc(CHUNK_BYTES);
