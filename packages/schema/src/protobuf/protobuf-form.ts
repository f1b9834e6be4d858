// Protobuf form of a kind: encodes objects with their envelope, and lists joined from encoded objects.
import type { JsonObject } from "../json/json-value";
import { type Envelope, envelopeFront, type TypeMeta, writeEnvelope } from "./envelope";
import type { MessageCodec } from "./message-codec";
import { ProtobufReader } from "./protobuf-reader";
import type { ProtobufWriter } from "./protobuf-writer";

export class ProtobufForm {
  private readonly codec: MessageCodec;
  private readonly list: MessageCodec;
  private readonly writer: ProtobufWriter;

  /**
   * @param codecs that of the kind, and that of list metadata
   * @param writer may be shared: it is empty after every call
   */
  constructor(codecs: { readonly object: MessageCodec; readonly list: MessageCodec }, writer: ProtobufWriter) {
    this.codec = codecs.object;
    this.list = codecs.list;
    this.writer = writer;
  }

  /** Encodes an object. @param object canonical, with its apiVersion and kind. @returns the envelope */
  encode(object: JsonObject): Buffer {
    try {
      writeEnvelope(this.writer, typeMetaOf(object), () => this.codec.write(this.writer, object));
      return this.writer.take();
    } finally {
      this.writer.clear();
    }
  }

  /**
   * Decodes an object.
   * @param depth number of messages that contain the object
   * @returns the object before canonicalization by `ObjectType.decode`
   * @throws ProtobufError
   */
  decode({ kind, apiVersion, raw }: Envelope, depth = 0): JsonObject {
    const object: JsonObject = { kind, apiVersion };
    this.codec.read(new ProtobufReader(raw, depth), object);
    return object;
  }

  /**
   * Returns the bytes of a list before the pieces of its items (see `itemStart`); `ENVELOPE_BACK` follows the pieces.
   * @param list its apiVersion, kind and metadata
   * @param itemsBytes total length of the pieces
   */
  listFront(list: JsonObject, itemsBytes: number): Buffer {
    const writer = this.writer;
    try {
      this.list.write(writer, { metadata: list["metadata"] ?? null });
      envelopeFront(writer, typeMetaOf(list), writer.length + itemsBytes);
      return writer.take();
    } finally {
      writer.clear();
    }
  }
}

function typeMetaOf({ apiVersion, kind }: JsonObject): TypeMeta {
  return {
    apiVersion: typeof apiVersion === "string" ? apiVersion : "",
    kind: typeof kind === "string" ? kind : "",
  };
}
