// A list in protobuf: the entries' bytes, joined. Its length stands at its beginning, so that all of them must be there first.
import { type Entry, type LoopTurns, writeEach } from "@orch/registry";
import { ENVELOPE_BACK, itemStart } from "@orch/schema";
import type { PieceWriter } from "./piece-writer";

/** Encodes each entry once. */
export interface EntryEncoder {
  /** In its envelope. */
  bytes(entry: Entry): Buffer;
  /** How many it has had to encode so far. */
  readonly count: number;
}

/** @param front what the list has before its items, which are `itemsBytes` long together */
export async function writeJoined(
  out: PieceWriter,
  entries: readonly Entry[],
  encoder: EntryEncoder,
  front: (itemsBytes: number) => Buffer,
): Promise<void> {
  const items = await encodedInTurns(entries, encoder, out.turns);
  // The same in all of them, as they are of one kind and version.
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
  turns: LoopTurns,
): Promise<readonly Buffer[]> {
  const items = new Array<Buffer>(entries.length);
  for (let at = 0; at < entries.length; at += 1) {
    const { count } = encoder;
    items[at] = encoder.bytes(entries[at] as Entry);
    if (encoder.count > count && turns.isOver) await turns.next();
  }
  return items;
}
