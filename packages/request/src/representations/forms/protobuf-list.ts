// A list in protobuf, concatenated from encoded entries. The length precedes the content, so all entries must be
// encoded first.
import { type Entry, type EventLoopYielder, writeEach } from "@orch/registry";
import { ENVELOPE_BACK, itemStart } from "@orch/schema";
import type { PieceWriter } from "./piece-writer";

/** Encodes each entry once. */
export interface EntryEncoder {
  /** Returns the entry with its envelope. */
  bytes(entry: Entry): Buffer;
  /** Number of entries encoded so far; cached ones do not count. */
  readonly count: number;
}

/** @param front encoded list before its items, which have `itemsBytes` in total */
export async function writeJoined(
  out: PieceWriter,
  entries: readonly Entry[],
  encoder: EntryEncoder,
  front: (itemsBytes: number) => Buffer,
): Promise<void> {
  const items = await encodedInTurns(entries, encoder, out.yielder);
  // The offset is the same for all items, because they have one kind and version.
  const start = items[0] === undefined ? 0 : itemStart(items[0]);
  let itemsBytes = 0;
  for (const item of items) itemsBytes += item.length - start - ENVELOPE_BACK.length;
  const head = front(itemsBytes);
  out.bytesInAll = head.length + itemsBytes + ENVELOPE_BACK.length;
  out.copy(head);
  await writeEach(items.length, out, (at) => {
    const item = items[at] as Buffer;
    out.copy(item, start, item.length - ENVELOPE_BACK.length);
  });
  out.copy(ENVELOPE_BACK);
}

async function encodedInTurns(
  entries: readonly Entry[],
  encoder: EntryEncoder,
  yielder: EventLoopYielder,
): Promise<readonly Buffer[]> {
  const items = new Array<Buffer>(entries.length);
  for (let at = 0; at < entries.length; at += 1) {
    const { count } = encoder;
    items[at] = encoder.bytes(entries[at] as Entry);
    if (encoder.count > count && yielder.isOver) await yielder.next();
  }
  return items;
}
