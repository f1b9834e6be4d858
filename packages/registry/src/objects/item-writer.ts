// Writes the items of a list: the bytes of the entries with commas in between, copied once, without building an array
// of objects.

import type { ServedVersion } from "@orch/machinery";
import type { EventLoopYielder } from "@orch/platform";
import type { Entry } from "../contract/operations";
import type { StoredEntry } from "./stored-entry";

/** Receives bytes in order. */
export interface ItemSink {
  byte(byte: number): void;
  copy(bytes: Buffer, start: number): void;
  /** Whether `sendFull` must be called before more is written. */
  readonly isFull: boolean;
  sendFull(): Promise<void>;
}

const COMMA = 0x2c;

/** Writes the text between `[` and `]`. */
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

/**
 * Writes `count` items one after the other, and sends the sink whenever it is full. @param write writes the item at a
 * position, synchronously
 */
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

/**
 * Writes until the sink is full. A separate synchronous loop: an `await` at each item would cost much more. @returns
 * the position reached
 */
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

/** All entries belong to one resource. */
const headOfItems = (entries: readonly Entry[], version: ServedVersion): Buffer =>
  (entries[0] as StoredEntry | undefined)?.itemHead(version) ?? Buffer.alloc(0);

/**
 * Bytes that may be built before the turn's time is checked. A small object costs as much as BYTES_OF_AN_OBJECT bytes.
 */
const BYTES_BETWEEN_LOOKS = 256 * 1024;
const BYTES_OF_AN_OBJECT = 2048;

/**
 * Builds the items that do not exist yet. @returns the number of bytes that `writeItems` writes for the same entries
 */
export async function itemsLength(
  entries: readonly Entry[],
  version: ServedVersion,
  yielder: EventLoopYielder,
): Promise<number> {
  const { length: headBytes } = headOfItems(entries, version);
  let length = Math.max(0, entries.length * (1 + headBytes) - 1);
  for (let at = 0; at < entries.length; ) {
    const look = bytesUntilLook(entries, at, version);
    at = look.at;
    length += look.bytes;
    if (at < entries.length && yielder.isOver) await yielder.next();
  }
  return length;
}

/** @returns the bytes behind the heads of the items, and the position reached */
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
