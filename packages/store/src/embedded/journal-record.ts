// The bytes of one revision in the journal. The revision itself is the record's key. Events follow one another:
//   put:    1, key length (4 bytes), key, create revision (8, a double), version (8), lease (8), value length (4), value
//   delete: 2, key length (4), key

import { StoreError, type StoreEvent } from "../contract";
import type { Commit } from "../local/version-index";

const PUT = 1;
const DELETE = 2;
const KEY_HEAD_BYTES = 5;
const PUT_HEAD_BYTES = 28;

export function encodeRecord(events: readonly StoreEvent[]): Buffer {
  let bytes = 0;
  for (const event of events) {
    bytes += KEY_HEAD_BYTES + Buffer.byteLength(event.kind === "put" ? event.item.key : event.key);
    if (event.kind === "put") bytes += PUT_HEAD_BYTES + event.item.value.length;
  }
  const record = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const event of events) {
    const key = event.kind === "put" ? event.item.key : event.key;
    const keyBytes = record.write(key, at + KEY_HEAD_BYTES);
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
  return record;
}

/**
 * @param record kept by the events: their values are slices of it
 * @throws StoreError internal when the bytes are not a record
 */
export function decodeRecord(revision: number, record: Buffer): Commit {
  const events: StoreEvent[] = [];
  let at = 0;
  while (at < record.length) {
    const kind = record[at];
    if (kind !== PUT && kind !== DELETE)
      throw new StoreError("internal", `the journal is damaged at revision ${revision}`);
    const keyEnd = at + KEY_HEAD_BYTES + record.readUInt32LE(at + 1);
    const key = record.toString("utf8", at + KEY_HEAD_BYTES, keyEnd);
    at = keyEnd;
    if (kind === DELETE) {
      events.push({ kind: "delete", key, modRevision: revision });
      continue;
    }
    const start = at + PUT_HEAD_BYTES;
    const end = start + record.readUInt32LE(at + 24);
    const item = {
      key,
      value: record.subarray(start, end),
      createRevision: record.readDoubleLE(at),
      modRevision: revision,
      version: record.readDoubleLE(at + 8),
      lease: record.readDoubleLE(at + 16),
    };
    events.push({ kind: "put", item });
    at = end;
  }
  return { revision, events };
}
