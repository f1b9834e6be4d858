// Reads the lines of a file from its end, in pieces. Lines that do not fit into the memory of a piece are told by their
// place.
import type { FileHandle } from "node:fs/promises";

export interface FoundLine {
  /** Offset of the first byte. */
  readonly start: number;
  /** Offset behind the last byte. */
  readonly end: number;
  /** Absent for a long line. */
  readonly bytes?: Buffer;
}

/** Bytes that are read at a time. */
export const PIECE_BYTES = 64 * 1024;
/** Size from which only the place of a line is known. */
const HELD_MAX_BYTES = 256 * 1024;
const NEW_LINE = 10;

/** Reads pieces of a file, and counts their bytes. */
export class PieceReader {
  readBytes = 0;

  constructor(private readonly file: Pick<FileHandle, "read">) {}

  /** Returns the bytes of a range; fewer when the file has become shorter. */
  async read(start: number, end: number): Promise<Buffer> {
    const memory = Buffer.allocUnsafe(end - start);
    const { bytesRead } = await this.file.read(memory, 0, memory.length, start);
    this.readBytes += bytesRead;
    return memory.subarray(0, bytesRead);
  }
}

/**
 * Yields the lines before an offset, the last one first and empty ones left out. After each piece it yields the offset
 * down to which the file is read. Ends at the beginning of the file, or where the file has become shorter.
 * @param endsLine whether the bytes before `from` are a whole line; others are left out
 */
export async function* linesBackward(
  reader: PieceReader,
  { from, endsLine }: { readonly from: number; readonly endsLine: boolean },
): AsyncGenerator<FoundLine | number, void, undefined> {
  /** Bytes from `base` up to `end`, which is the end of the line that is looked for. */
  let held: Buffer = Buffer.alloc(0);
  let base = from;
  let end = from;
  let isLong = false;
  let isWhole = endsLine;
  for (;;) {
    const at = held.lastIndexOf(NEW_LINE);
    const start = at < 0 ? base : base + at + 1;
    if ((at >= 0 || base === 0) && isWhole && start < end)
      yield isLong ? { start, end } : { start, end, bytes: held.subarray(start - base) };
    if (at >= 0) {
      isLong = false;
      isWhole = true;
      end = base + at;
      held = held.subarray(0, at);
      continue;
    }
    if (base === 0) return;
    if (held.length > HELD_MAX_BYTES) isLong = true;
    const before = Math.max(0, base - PIECE_BYTES);
    const piece = await reader.read(before, base);
    if (piece.length < base - before) return;
    held = isLong ? piece : Buffer.concat([piece, held]);
    base = before;
    yield base;
  }
}
