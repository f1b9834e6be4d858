// Envelope of objects in protobuf: a prefix of four bytes, then a message with kind, version and bytes of the object.
// Source: Kubernetes API concepts, "Kubernetes Protobuf encoding". Field numbers: proto/runtime.proto.
import { ProtobufError } from "./protobuf-error";
import { ProtobufReader } from "./protobuf-reader";
import type { ProtobufWriter } from "./protobuf-writer";

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** Keys of the fields of runtime.Unknown. */
const TYPE_META = (1 << 3) | 2;
const RAW = (2 << 3) | 2;
const CONTENT_ENCODING = (3 << 3) | 2;
const CONTENT_TYPE = (4 << 3) | 2;
/** Keys of the fields of runtime.TypeMeta. */
const API_VERSION = (1 << 3) | 2;
const KIND = (2 << 3) | 2;

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface Envelope extends TypeMeta {
  /** Message of the object, a slice of the input. */
  readonly raw: Buffer;
  /** "" for none. */
  readonly contentEncoding: string;
  /** Content type of `raw`; "" for protobuf. */
  readonly contentType: string;
}

/** Reports whether bytes start with the prefix. */
export function isEnveloped(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, index) => bytes[index] === byte);
}

/** Reads an envelope. @throws ProtobufError for another format or a damaged envelope */
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

/** Bytes after the object: empty content encoding and content type, which are always written. */
export const ENVELOPE_BACK = Buffer.from([CONTENT_ENCODING, 0, CONTENT_TYPE, 0]);

/** Writes an envelope around the object that `writeRaw` writes. The writer must be empty. */
export function writeEnvelope(writer: ProtobufWriter, typeMeta: TypeMeta, writeRaw: () => void): void {
  writer.raw(ENVELOPE_BACK);
  const before = writer.length;
  writeRaw();
  envelopeFront(writer, typeMeta, writer.length - before);
}

/** Writes the part before the object's bytes. @param rawBytes length of the object's bytes */
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
 * Returns where the object's message with its key and length starts, in an envelope written by this server; it ends
 * before ENVELOPE_BACK. The bytes are those of an element of field 2, which holds the items of every list except
 * PartialObjectMetadataList of meta/v1beta1: a list is joined from such pieces unchanged.
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
