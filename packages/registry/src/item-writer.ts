// Writes the items of a list: the entries' bytes joined by commas, copied once, never an array of objects.

import type { ServedVersion } from "@orch/machinery";
import type { Entry } from "./registry";
import type { StoredEntry } from "./stored-entry";

/** Bytes of a piece, about. Small enough to be sent while the next is made, large enough to be few. */
const PIECE_BYTES = 1024 * 1024;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;

/** @returns pieces whose concatenation is what stands between `[` and `]` */
export function* writeItems(entries: readonly Entry[], version: ServedVersion): Generator<Buffer, void, void> {
  let first = 0;
  let bytes = 0;
  for (let i = 0; i < entries.length; i += 1) {
    const entry = entries[i] as StoredEntry;
    bytes += itemLength(entry, version) + 1;
    if (bytes >= PIECE_BYTES || i === entries.length - 1) {
      yield join(entries, { first, end: i + 1, bytes }, version);
      first = i + 1;
      bytes = 0;
    }
  }
}

/** @returns the bytes that `writeItems` gives for the same entries, all together */
export function itemsLength(entries: readonly Entry[], version: ServedVersion): number {
  let bytes = Math.max(0, entries.length - 1);
  for (const entry of entries) bytes += itemLength(entry as StoredEntry, version);
  return bytes;
}

function join(
  entries: readonly Entry[],
  { first, end, bytes }: { readonly first: number; readonly end: number; readonly bytes: number },
  version: ServedVersion,
): Buffer {
  const piece = Buffer.allocUnsafeSlow(first === 0 ? bytes - 1 : bytes);
  let at = 0;
  for (let i = first; i < end; i += 1) {
    const entry = entries[i] as StoredEntry;
    if (i > 0) piece[at++] = COMMA;
    piece[at++] = OPEN_BRACE;
    at += entry.itemSource(version).copy(piece, at, entry.itemStart(version));
  }
  return piece;
}

function itemLength(entry: StoredEntry, version: ServedVersion): number {
  return entry.itemSource(version).length - entry.itemStart(version) + 1;
}
