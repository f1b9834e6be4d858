// Writes the items of a list: the entries' bytes with commas in between, copied once, never an array of objects.

import type { ServedVersion } from "@orch/machinery";
import type { LoopTurns } from "../loop-turns";
import type { Entry } from "../registry";
import type { StoredEntry } from "./stored-entry";

/** Takes bytes in order. */
export interface ItemSink {
  byte(byte: number): void;
  copy(bytes: Buffer, start: number): void;
  /** Whether it wants to be sent before it is given more. */
  readonly isFull: boolean;
  sendFull(): Promise<void>;
}

const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;

/** What stands between `[` and `]`. */
export async function writeItems(entries: readonly Entry[], version: ServedVersion, sink: ItemSink): Promise<void> {
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at] as StoredEntry;
    if (at > 0) sink.byte(COMMA);
    sink.byte(OPEN_BRACE);
    sink.copy(entry.itemSource(version), entry.itemStart(version));
    if (sink.isFull) await sink.sendFull();
  }
}

/** Bytes that may have to be made before it is asked whether the turn is over; a small object costs as much as so many bytes. */
const BYTES_BETWEEN_LOOKS = 256 * 1024;
const BYTES_OF_AN_OBJECT = 2048;

/** Makes the items, as far as nobody has asked for them before. @returns the bytes that `writeItems` writes of the same entries */
export async function itemsLength(
  entries: readonly Entry[],
  version: ServedVersion,
  turns: LoopTurns,
): Promise<number> {
  let bytes = Math.max(0, entries.length - 1);
  let lookAt = BYTES_BETWEEN_LOOKS;
  for (let at = 0; at < entries.length; at += 1) {
    const entry = entries[at] as StoredEntry;
    bytes += entry.itemSource(version).length - entry.itemStart(version) + 1;
    if (bytes + at * BYTES_OF_AN_OBJECT < lookAt) continue;
    lookAt = bytes + at * BYTES_OF_AN_OBJECT + BYTES_BETWEEN_LOOKS;
    if (turns.isOver) await turns.next();
  }
  return bytes;
}
