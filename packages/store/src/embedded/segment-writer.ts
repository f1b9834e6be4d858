// Writes the end of the journal. Space is allocated in advance by zeros that the disk has accepted. A frame is only
// written to allocated space, so no other process can take that space between the decision to write and the write.
//
//   frames ……… │ allocated space ……… │ KEPT │ end of the file
//              position              allocated

import { randomUUID } from "node:crypto";
import {
  closeSync,
  fdatasync,
  fstat,
  ftruncate,
  constants as modes,
  openSync,
  renameSync,
  rmSync,
  stat,
  write,
} from "node:fs";
import { promisify } from "node:util";
import { StoreError } from "../contract/contract";
import { StoreOpenError, withFiles } from "../contract/open-problem";
import { encodeFrames, jsonFrame } from "../journal-format/frame";
import { ROOM_KEPT_BYTES } from "../journal-format/segment-scan";
import { type JournalFile, journalPath, type Place, syncDirectory, unfinishedPath } from "./journal-folder";

/** Every write returns when its bytes are on the disk. */
const SYNCED = modes.O_RDWR | modes.O_DSYNC;
const ZEROS = Buffer.alloc(1024 * 1024);
const FULL: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

const truncated = promisify(ftruncate);
const statOf = promisify(stat);
const ownStat = promisify(fstat);
const synced = promisify(fdatasync);

export class SegmentWriter {
  private readonly descriptor: number;
  private writtenTo: number;
  private allocated: number;
  private allocating: Promise<void> | undefined;
  /** End of bytes that a failed write may have left after the position. No write is possible until they are removed. */
  private unsureUntil: number;
  private sealed = false;

  /**
   * @param position after the last frame
   * @param size of the file: zeros up to its end, except before `unsureUntil`
   * @throws StoreOpenError
   */
  constructor(
    readonly file: JournalFile,
    { position, size, unsureUntil = position }: { position: number; size: number; unsureUntil?: number },
  ) {
    this.descriptor = withFiles("the journal", () => openSync(file.path, SYNCED));
    this.writtenTo = position;
    this.allocated = size - ROOM_KEPT_BYTES;
    this.unsureUntil = unsureUntil;
  }

  get position(): number {
    return this.writtenTo;
  }

  /** Number of bytes that can be written without further allocation. */
  get ahead(): number {
    return this.allocated - this.writtenTo;
  }

  /** Size of the whole file in bytes. */
  get size(): number {
    return this.allocated + ROOM_KEPT_BYTES;
  }

  /** Whether bytes of a failed write must still be removed. */
  get isUnsure(): boolean {
    return this.unsureUntil > this.writtenTo;
  }

  /**
   * Appends bytes; they are on the disk when it resolves. One call at a time; `ahead` must suffice.
   * @throws StoreError full or internal: nothing was written; unknownOutcome: unknown whether it was written
   */
  async append(bytes: Buffer): Promise<void> {
    if (this.isUnsure) await this.takeBack();
    try {
      await writeAt(this.descriptor, bytes, this.writtenTo);
    } catch (error) {
      this.unsureUntil = this.writtenTo + ((error as FailedWrite).mayHaveWritten ?? bytes.length);
      const failure = writeError(error);
      await this.takeBack().catch(() => {
        throw new StoreError("unknownOutcome", failure.message, { cause: error });
      });
      throw failure;
    }
    this.writtenTo += bytes.length;
    this.unsureUntil = this.writtenTo;
  }

  /** Removes the bytes of a failed write. @throws StoreError full, internal */
  async takeBack(): Promise<void> {
    if (!this.isUnsure) return;
    try {
      await writeZeros(this.descriptor, { from: this.writtenTo, to: this.unsureUntil });
    } catch (error) {
      throw writeError(error);
    }
    this.unsureUntil = this.writtenTo;
  }

  /** Tests whether the disk accepts writes, by writing zeros over zeros. @throws StoreError full, internal */
  async probe(bytes: number): Promise<void> {
    await this.takeBack();
    try {
      await writeZeros(this.descriptor, { from: this.writtenTo, to: this.writtenTo + bytes });
    } catch (error) {
      throw writeError(error);
    }
  }

  /**
   * Allocates space, concurrently with writes.
   * @returns once `ahead` has reached the value
   * @throws StoreError full, internal
   */
  async allocate(ahead: number): Promise<void> {
    while (this.ahead < ahead && !this.sealed) {
      this.allocating ??= this.grow(this.writtenTo + ahead).finally(() => {
        this.allocating = undefined;
      });
      await this.allocating;
    }
  }

  /** @throws StoreError internal, when the file was removed or replaced: further writes to it would be lost */
  async checkPlace(): Promise<void> {
    const [named, own] = await Promise.all([statOf(this.file.path).catch(() => undefined), ownStat(this.descriptor)]);
    if (named?.ino === own.ino && named.dev === own.dev) return;
    throw new StoreError("internal", `${this.file.path} has been removed or replaced`);
  }

  /** Marks the end of this file, and releases its unused space. */
  async seal(): Promise<void> {
    await this.append(encodeFrames([jsonFrame("seal", {})]));
    this.sealed = true;
    await this.allocating?.catch(() => {});
    // Unused space that remains is harmless.
    await truncated(this.descriptor, this.writtenTo).catch(() => {});
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private async grow(allocated: number): Promise<void> {
    const target = allocated + ROOM_KEPT_BYTES;
    try {
      await fillWithZeros(this.file.path, { from: this.size, to: target });
    } catch (error) {
      throw writeError(error);
    }
    this.allocated = allocated;
  }
}

/** The zeros are on the disk when it resolves. */
async function fillWithZeros(
  path: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const descriptor = openSync(path, modes.O_WRONLY);
  try {
    await writeZeros(descriptor, { from, to });
    await synced(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

async function writeZeros(descriptor: number, { from, to }: { readonly from: number; readonly to: number }) {
  for (let at = from; at < to; at += ZEROS.length) {
    await writeAt(descriptor, ZEROS.subarray(0, Math.min(ZEROS.length, to - at)), at);
  }
}

/**
 * Creates a file of the journal atomically: it exists as a whole, or not at all.
 * @param pieces frames, written as they are generated
 * @param ahead space allocated after them; undefined: none, because the last frame is a seal
 * @returns the size of its frames in bytes
 * @throws StoreError full, internal
 */
export async function makeSegment(
  directory: string,
  place: Place,
  { pieces, ahead }: { readonly pieces: Iterable<Buffer>; readonly ahead?: number },
): Promise<{ readonly file: JournalFile; readonly position: number; readonly size: number }> {
  const unfinished = unfinishedPath(directory, randomUUID());
  const path = journalPath(directory, place);
  let position = 0;
  let size = 0;
  try {
    const descriptor = openSync(unfinished, "wx", 0o600);
    try {
      for (const piece of pieces) {
        await writeAt(descriptor, piece, position);
        position += piece.length;
      }
      size = ahead === undefined ? position : position + ahead + ROOM_KEPT_BYTES;
      await writeZeros(descriptor, { from: position, to: size });
      await synced(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, path);
    syncDirectory(directory);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error instanceof StoreError || error instanceof StoreOpenError ? error : writeError(error);
  }
  return { file: { ...place, path }, position, size };
}

/** @returns full when the disk or a quota is exhausted; otherwise internal */
function writeError(error: unknown): StoreError {
  const { code = "", message } = error as NodeJS.ErrnoException;
  return new StoreError(FULL.has(code) ? "full" : "internal", `the journal cannot be written: ${message}`, {
    cause: error,
  });
}

/** Number of bytes of the write that may be in the file; undefined: all of them. */
interface FailedWrite extends NodeJS.ErrnoException {
  mayHaveWritten?: number;
}

function writeAt(descriptor: number, bytes: Buffer, position: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = (from: number) =>
      write(descriptor, bytes, from, bytes.length - from, position + from, (error, written) => {
        // A file size limit rejects the call before it writes. All other errors may occur during the write or the sync.
        if (error?.code === "EFBIG") reject(Object.assign(error, { mayHaveWritten: from }));
        else if (error !== null) reject(error);
        else if (from + written < bytes.length) next(from + written);
        else resolve();
      });
    next(0);
  });
}
