// What stands around every object that travels as protobuf: four bytes that say so, then a message with the object's kind,
// version and bytes. Source: resource-api, "Protobuf envelope"; field numbers: proto/runtime.proto.
import { ProtobufError } from "./protobuf-error";
import { ProtobufReader } from "./protobuf-reader";
import type { ProtobufWriter } from "./protobuf-writer";

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** Keys of runtime.Unknown's fields. */
const TYPE_META = (1 << 3) | 2;
const RAW = (2 << 3) | 2;
const CONTENT_ENCODING = (3 << 3) | 2;
const CONTENT_TYPE = (4 << 3) | 2;
/** Keys of runtime.TypeMeta's fields. */
const API_VERSION = (1 << 3) | 2;
const KIND = (2 << 3) | 2;

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface Envelope extends TypeMeta {
  /** The object's message, where it lies in what was read. */
  readonly raw: Buffer;
  /** "" for none. */
  readonly contentEncoding: string;
  /** What `raw` is; "" for protobuf. */
  readonly contentType: string;
}

/** Whether bytes begin as envelopes do. */
export function isEnveloped(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

/** @throws ProtobufError for bytes of another format or a broken envelope */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (!isEnveloped(bytes)) {
    throw new ProtobufError("the data does not begin with the prefix 6b 38 73 00 of protobuf objects");
  }
  const reader = new ProtobufReader(bytes.subarray(MAGIC.length));
  let typeMeta: TypeMeta = { apiVersion: "", kind: "" };
  let raw: Buffer = Buffer.alloc(0);
  let contentEncoding = "";
  let contentType = "";
  while (reader.hasMore) {
    const key = reader.key();
    if (key === TYPE_META) typeMeta = readTypeMeta(reader);
    else if (key === RAW) raw = reader.bytes();
    else if (key === CONTENT_ENCODING) contentEncoding = reader.text();
    else if (key === CONTENT_TYPE) contentType = reader.text();
    else reader.skip(key);
  }
  return { ...typeMeta, raw, contentEncoding, contentType };
}

function readTypeMeta(reader: ProtobufReader): TypeMeta {
  let apiVersion = "";
  let kind = "";
  const outer = reader.enter();
  while (reader.hasMore) {
    const key = reader.key();
    if (key === API_VERSION) apiVersion = reader.text();
    else if (key === KIND) kind = reader.text();
    else reader.skip(key);
  }
  reader.leave(outer);
  return { apiVersion, kind };
}

/** Behind the object's bytes: no encoding and no other content type, which are written even so. */
export const ENVELOPE_BACK = Buffer.from([CONTENT_ENCODING, 0, CONTENT_TYPE, 0]);

/** Puts an envelope around the object that `writeRaw` writes. The writer must be empty. */
export function writeEnvelope(writer: ProtobufWriter, typeMeta: TypeMeta, writeRaw: () => void): void {
  writer.raw(ENVELOPE_BACK);
  const before = writer.length;
  writeRaw();
  envelopeFront(writer, typeMeta, writer.length - before);
}

/** What an envelope has before the object's bytes. @param rawBytes how many those are */
export function envelopeFront(writer: ProtobufWriter, { apiVersion, kind }: TypeMeta, rawBytes: number): void {
  writer.varint(rawBytes);
  writer.varint(RAW);
  const before = writer.length;
  writer.text(kind);
  writer.varint(KIND);
  writer.text(apiVersion);
  writer.varint(API_VERSION);
  writer.varint(writer.length - before);
  writer.varint(TYPE_META);
  writer.raw(MAGIC);
}

/**
 * Where, in an envelope that this server wrote, the object's message with its key and length begins; it ends before
 * ENVELOPE_BACK. These bytes are the same as of an element of field 2, which the items of every list are (but for
 * PartialObjectMetadataList of meta/v1beta1): a list joins such pieces as they are.
 */
export function itemStart(enveloped: Buffer): number {
  let at = MAGIC.length + 1;
  let typeMetaBytes = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = enveloped[at++] as number;
    typeMetaBytes |= (byte & 0x7f) << shift;
    if (byte < 0x80) return at + typeMetaBytes;
  }
}
