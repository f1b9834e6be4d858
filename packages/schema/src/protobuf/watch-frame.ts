// A watch event in protobuf: a length of four bytes, then the event's message, which contains the enveloped object.
// Source: staging/src/k8s.io/apimachinery/pkg/util/framer/framer.go. Field numbers: proto/meta/v1.proto, WatchEvent.
import { ProtobufWriter } from "./protobuf-writer";

const TYPE = (1 << 3) | 2;
const OBJECT = (2 << 3) | 2;
const RAW = (1 << 3) | 2;
const LENGTH_BYTES = 4;

/**
 * Returns the part of a frame before the object, to be sent directly before it.
 * @param objectBytes length of the enveloped object
 */
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
