// Whether the disk still has room for a write. LMDB is never let near the end of a disk: a transaction that it could not write whole
// leaves the memory of the process damaged, and the process dies at some later moment.

import { StoreError } from "../contract";

const MEBIBYTE = 1024 * 1024;
/** Kept free: for what LMDB writes beside the records, and for others who write to the same disk between two looks. */
export const RESERVE_BYTES = 16 * MEBIBYTE;
/** A look is good for this long, and for this many bytes written. */
const LOOK_MS = 250;
const LOOK_BYTES = 4 * MEBIBYTE;
/** Pages that are written for a record beside its own: those of the tree that lead to it. */
const PAGES_PER_RECORD_BYTES = 4 * 4096;

export interface DiskRoomParts {
  /** Bytes of the disk that this process may fill. */
  readonly freeBytes: () => Promise<number>;
  /** Milliseconds from any beginning. */
  readonly now: () => number;
}

export class DiskRoom {
  readonly #parts: DiskRoomParts;
  /** May be written before the next look. */
  #budgetBytes = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: DiskRoomParts) {
    this.#parts = parts;
  }

  /** @throws StoreError full, when these records, together with all that was let through since the last look, may not fit */
  async claim(records: readonly { readonly length: number }[]): Promise<void> {
    let bytes = 0;
    for (const { length } of records) bytes += length + PAGES_PER_RECORD_BYTES;
    if (bytes > this.#budgetBytes || this.#parts.now() - this.#lookedAt > LOOK_MS) await this.#look(bytes);
    this.#budgetBytes -= bytes;
  }

  async #look(bytes: number): Promise<void> {
    const free = await this.#parts.freeBytes();
    if (free < RESERVE_BYTES + bytes) {
      this.#budgetBytes = 0;
      const mebibytes = (count: number) => `${Math.floor(count / MEBIBYTE)} MiB`;
      throw new StoreError(
        "full",
        `${mebibytes(free)} are free on its disk, of which ${mebibytes(RESERVE_BYTES)} are kept`,
      );
    }
    this.#budgetBytes = Math.max(bytes, LOOK_BYTES);
    this.#lookedAt = this.#parts.now();
  }
}
