// Writes the items of a list: the entries' bytes with commas in between, copied once, never an array of objects.

import type { ServedVersion } from "@orch/machinery";
import type { LoopTurns } from "@orch/platform";
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

/** What stands between `[` and `]`. */
export function writeItems(entries: readonly Entry[], version: ServedVersion, sink: ItemSink): Promise<void> {
  const head = headOfItems(entries, version);
  return writeEach(entries.length, sink, (at) => {
    const entry = entries[at] as StoredEntry;
    if (at > 0) sink.byte(COMMA);
    if (head.length === 1) sink.byte(head[0] as number);
    else sink.copy(head, 0);
    sink.copy(entry.itemSource(version), entry.itemStart(version));
  });
}

/** So many items one after the other, and what is full is sent in between. @param write the item at a place, without waiting */
export async function writeEach(
  count: number,
  sink: Pick<ItemSink, "isFull" | "sendFull">,
  write: (at: number) => void,
): Promise<void> {
  for (let at = 0; at < count; ) {
    at = writeUntilFull(at, count, sink, write);
    if (sink.isFull) await sink.sendFull();
  }
}

/** A loop of its own: one that may wait at each item costs much more an item. @returns up to where it has come */
function writeUntilFull(
  from: number,
  count: number,
  sink: Pick<ItemSink, "isFull">,
  write: (at: number) => void,
): number {
  let at = from;
  do {
    write(at);
    at += 1;
  } while (at < count && !sink.isFull);
  return at;
}

/** All are of one resource. */
const headOfItems = (entries: readonly Entry[], version: ServedVersion): Buffer =>
  (entries[0] as StoredEntry | undefined)?.itemHead(version) ?? Buffer.alloc(0);

/** Bytes that may have to be made before it is asked whether the turn is over; a small object costs as much as so many bytes. */
const BYTES_BETWEEN_LOOKS = 256 * 1024;
const BYTES_OF_AN_OBJECT = 2048;

/** Makes the items, as far as nobody has asked for them before. @returns the bytes that `writeItems` writes of the same entries */
export async function itemsLength(
  entries: readonly Entry[],
  version: ServedVersion,
  turns: LoopTurns,
): Promise<number> {
  const { length: headBytes } = headOfItems(entries, version);
  let length = Math.max(0, entries.length * (1 + headBytes) - 1);
  for (let at = 0; at < entries.length; ) {
    const look = bytesUntilLook(entries, at, version);
    at = look.at;
    length += look.bytes;
    if (at < entries.length && turns.isOver) await turns.next();
  }
  return length;
}

/** @returns how much there is behind the heads of the items, up to where it has come */
function bytesUntilLook(
  entries: readonly Entry[],
  from: number,
  version: ServedVersion,
): { readonly at: number; readonly bytes: number } {
  let bytes = 0;
  let at = from;
  while (at < entries.length && bytes + (at - from) * BYTES_OF_AN_OBJECT < BYTES_BETWEEN_LOOKS) {
    const entry = entries[at] as StoredEntry;
    bytes += entry.itemSource(version).length - entry.itemStart(version);
    at += 1;
  }
  return { at, bytes };
}
