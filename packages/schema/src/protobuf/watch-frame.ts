// One event of a watch stream in protobuf: four bytes of length, then the event's message, which holds the object in its
// envelope. Source: facts, http.md "Watch framing"; field numbers: proto/meta/v1.proto, WatchEvent.
import { ProtobufWriter } from "./protobuf-writer";

const TYPE = (1 << 3) | 2;
const OBJECT = (2 << 3) | 2;
const RAW = (1 << 3) | 2;
const LENGTH_BYTES = 4;

/** What a frame has before the object: send the two one after the other. @param objectBytes the length of the enveloped object */
export function watchFrameFront(type: string, objectBytes: number): Buffer {
  const writer = new ProtobufWriter(64);
  writer.varint(objectBytes);
  writer.varint(RAW);
  writer.varint(writer.length + objectBytes);
  writer.varint(OBJECT);
  writer.text(type);
  writer.varint(TYPE);
  const front = Buffer.allocUnsafeSlow(LENGTH_BYTES + writer.length);
  front.writeUInt32BE(writer.length + objectBytes);
  writer.take().copy(front, LENGTH_BYTES);
  return front;
}
