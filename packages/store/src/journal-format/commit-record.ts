// Encoding of one revision in the journal. The surrounding frame holds the revision number. Events follow one another:
//
//   put:    1, key length (4 bytes), key, create revision (8, a double), version (8), lease (8), value length (4),
//           value
//   delete: 2, key length (4), key
import type { KeyValue, Revision, StoreEvent } from "../contract/contract";
import { type Commit, keyOf } from "../mvcc/version-index";
import { encodeFrames, type FrameContent } from "./frame";

const PUT = 1;
const DELETE = 2;
const KEY_HEAD_BYTES = 5;
const PUT_HEAD_BYTES = 28;

export function commitFrame({ revision, events }: Commit): FrameContent {
  return {
    kind: "commit",
    revision,
    length: recordLength(events),
    write: (into, at) => writeRecord(events, into, at),
  };
}

function recordLength(events: readonly StoreEvent[]): number {
  let bytes = 0;
  for (const event of events) bytes += eventLength(event);
  return bytes;
}

function eventLength(event: StoreEvent): number {
  const key = KEY_HEAD_BYTES + Buffer.byteLength(keyOf(event));
  return event.kind === "put" ? key + PUT_HEAD_BYTES + event.item.value.length : key;
}

function writeRecord(events: readonly StoreEvent[], record: Buffer, start: number): void {
  let at = start;
  for (const event of events) {
    const keyBytes = record.write(keyOf(event), at + KEY_HEAD_BYTES);
    record[at] = event.kind === "put" ? PUT : DELETE;
    record.writeUInt32LE(keyBytes, at + 1);
    at += KEY_HEAD_BYTES + keyBytes;
    if (event.kind === "delete") continue;
    const { createRevision, version, lease, value } = event.item;
    record.writeDoubleLE(createRevision, at);
    record.writeDoubleLE(version, at + 8);
    record.writeDoubleLE(lease, at + 16);
    record.writeUInt32LE(value.length, at + 24);
    value.copy(record, at + PUT_HEAD_BYTES);
    at += PUT_HEAD_BYTES + value.length;
  }
}

/**
 * Decodes a record. @param kept maps an item, whose value is a slice of the record, to one that the caller may keep
 * @throws RangeError when the bytes are not a record
 */
export function decodeRecord(revision: Revision, record: Buffer, kept: (item: KeyValue) => KeyValue = copied): Commit {
  return { revision, events: [...eventsIn(revision, record, kept)] };
}

const copied = (item: KeyValue): KeyValue => ({ ...item, value: Buffer.from(item.value) });
const asIs = (item: KeyValue): KeyValue => item;

/** Returns the keys of a damaged record, as far as it can be decoded. */
export function keysIn(record: Buffer): readonly string[] {
  const keys: string[] = [];
  try {
    for (const event of eventsIn(0, record, asIs)) keys.push(keyOf(event));
  } catch {
    // The keys after the damage are unknown.
  }
  return keys;
}

function* eventsIn(revision: Revision, record: Buffer, kept: (item: KeyValue) => KeyValue): Iterable<StoreEvent> {
  let at = 0;
  while (at < record.length) {
    const kind = record[at];
    if (kind !== PUT && kind !== DELETE) throw new RangeError("no event begins at this offset");
    const keyEnd = at + KEY_HEAD_BYTES + record.readUInt32LE(at + 1);
    if (keyEnd > record.length) throw new RangeError("a key extends beyond its record");
    const key = record.toString("utf8", at + KEY_HEAD_BYTES, keyEnd);
    at = keyEnd;
    if (kind === DELETE) {
      yield { kind: "delete", key, modRevision: revision };
      continue;
    }
    const start = at + PUT_HEAD_BYTES;
    const end = start + record.readUInt32LE(at + 24);
    if (end > record.length) throw new RangeError("a value extends beyond its record");
    const item = {
      key,
      value: record.subarray(start, end),
      createRevision: record.readDoubleLE(at),
      modRevision: revision,
      version: record.readDoubleLE(at + 8),
      lease: record.readDoubleLE(at + 16),
    };
    yield { kind: "put", item: kept(item) };
    at = end;
  }
}

const PIECE_BYTES = 256 * 1024;

/** Encodes commits as frames, in pieces of a size suitable for writing or sending. */
export function* framesInPieces(commits: Iterable<Commit>): Iterable<Buffer> {
  let frames: FrameContent[] = [];
  let bytes = 0;
  for (const commit of commits) {
    const frame = commitFrame(commit);
    frames.push(frame);
    bytes += frame.length;
    if (bytes < PIECE_BYTES) continue;
    yield encodeFrames(frames);
    frames = [];
    bytes = 0;
  }
  if (frames.length > 0) yield encodeFrames(frames);
}
