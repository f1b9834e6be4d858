// Texts of files that users name: a size limit for devices without an end, and a time limit for pipes without a writer.
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";

export interface TextBounds {
  readonly maxBytes: number;
  /** Time for a pipe to give its text. Default: 5 seconds. */
  readonly waitMs?: number;
}

const WAIT_MS = 5_000;
const LOOK_EVERY_MS = 20;
const PIECE_BYTES = 64 * 1024;

/** Reads a file or a pipe. @throws Error of the file system, or that names the limit */
export function readBoundedText(path: string, { maxBytes, waitMs = WAIT_MS }: TextBounds): string {
  // Without this flag, the start of a pipe would wait for a writer, and nothing could end it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const isPipe = fstatSync(file).isFIFO();
    const pieces: Buffer[] = [];
    let length = 0;
    const until = performance.now() + waitMs;
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      const read = readNow(file, piece);
      if (read !== undefined && read > 0) {
        length += read;
        if (length > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
        pieces.push(piece.subarray(0, read));
        continue;
      }
      // A pipe that has given nothing yet may have no writer so far.
      if (read === 0 && (!isPipe || length > 0)) return Buffer.concat(pieces).toString("utf8");
      if (performance.now() >= until) throw new Error(`the pipe gave no text and no end within ${waitMs / 1000} s`);
      pauseFor(LOOK_EVERY_MS);
    }
  } finally {
    closeSync(file);
  }
}

/** @returns undefined when there is nothing to read yet */
function readNow(file: number, into: Buffer): number | undefined {
  try {
    return readSync(file, into);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
    throw error;
  }
}

function pauseFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
