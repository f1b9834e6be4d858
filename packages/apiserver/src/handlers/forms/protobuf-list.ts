// A list in protobuf: the entries' bytes, joined. Its length stands at its beginning, so that all of them must be there first.
import type { Entry } from "@orch/registry";
import { ENVELOPE_BACK, itemStart } from "@orch/schema";
import type { ListBody } from "./object-form";

/** Small enough to be sent while the next is made, large enough to be few. */
const PIECE_BYTES = 1024 * 1024;
/** Objects encoded between two pauses for other requests. */
const ENCODED_BETWEEN_PAUSES = 50;

/** Encodes each entry once. */
export interface EntryEncoder {
  /** In its envelope. */
  bytes(entry: Entry): Buffer;
  /** How many it has had to encode so far. */
  readonly count: number;
}

/** @param front what the list has before its items, which are `itemsBytes` long together */
export function joinedList(
  entries: readonly Entry[],
  encoder: EntryEncoder,
  front: (itemsBytes: number) => Buffer,
): ListBody {
  let bytes: number | undefined;
  async function* pieces(): AsyncGenerator<Buffer> {
    const items = await encodedInTurns(entries, encoder);
    // The same in all of them, as they are of one kind and version.
    const start = items[0] === undefined ? 0 : itemStart(items[0]);
    let itemsBytes = 0;
    for (const item of items) itemsBytes += item.length - start - ENVELOPE_BACK.length;
    const head = front(itemsBytes);
    bytes = head.length + itemsBytes + ENVELOPE_BACK.length;
    yield head;
    yield* joined(items, start, itemsBytes);
    yield ENVELOPE_BACK;
  }
  return { pieces: pieces(), bytes: () => bytes };
}

async function encodedInTurns(entries: readonly Entry[], encoder: EntryEncoder): Promise<readonly Buffer[]> {
  const items = new Array<Buffer>(entries.length);
  let pauseAt = encoder.count + ENCODED_BETWEEN_PAUSES;
  for (let at = 0; at < entries.length; at += 1) {
    items[at] = encoder.bytes(entries[at] as Entry);
    if (encoder.count < pauseAt) continue;
    await new Promise(setImmediate);
    pauseAt = encoder.count + ENCODED_BETWEEN_PAUSES;
  }
  return items;
}

/** @param start where in each item its piece begins */
function* joined(items: readonly Buffer[], start: number, itemsBytes: number): Generator<Buffer> {
  let left = itemsBytes;
  let first = 0;
  while (first < items.length) {
    const firstLength = (items[first] as Buffer).length;
    // Not from the shared pool: a piece waits for its client.
    const piece = Buffer.allocUnsafeSlow(Math.min(left, Math.max(PIECE_BYTES, firstLength)));
    let length = 0;
    let next = first;
    for (; next < items.length; next += 1) {
      const item = items[next] as Buffer;
      const end = item.length - ENVELOPE_BACK.length;
      if (length + end - start > piece.length) break;
      length += item.copy(piece, length, start, end);
    }
    yield length === piece.length ? piece : piece.subarray(0, length);
    left -= length;
    first = next;
  }
}
