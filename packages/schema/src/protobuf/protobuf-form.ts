// The protobuf side of a kind: whole objects with their envelope, and lists joined from objects that are encoded already.
import type { JsonObject } from "../json";
import { type Envelope, envelopeFront, type TypeMeta, writeEnvelope } from "./envelope";
import type { MessageCodec } from "./message-codec";
import { ProtobufReader } from "./protobuf-reader";
import type { ProtobufWriter } from "./protobuf-writer";

export class ProtobufForm {
  private readonly codec: MessageCodec;
  private readonly list: MessageCodec;
  private readonly writer: ProtobufWriter;

  /**
   * @param codecs of the kind, and of any list as far as its metadata
   * @param writer may be shared: it is empty again after every call
   */
  constructor(codecs: { readonly object: MessageCodec; readonly list: MessageCodec }, writer: ProtobufWriter) {
    this.codec = codecs.object;
    this.list = codecs.list;
    this.writer = writer;
  }

  /** @param object canonical, with its apiVersion and kind. @returns its bytes in their envelope */
  encode(object: JsonObject): Buffer {
    try {
      writeEnvelope(this.writer, typeMetaOf(object), () => this.codec.write(this.writer, object));
      return this.writer.take();
    } finally {
      this.writer.clear();
    }
  }

  /**
   * @param depth messages that the object is already inside of
   * @returns the object as a body has it: for `ObjectType.decode` to bring into canonical form
   * @throws ProtobufError
   */
  decode({ kind, apiVersion, raw }: Envelope, depth = 0): JsonObject {
    const object: JsonObject = { kind, apiVersion };
    this.codec.read(new ProtobufReader(raw, depth), object);
    return object;
  }

  /**
   * What a list of such objects has before the pieces of its items (see `itemStart`); behind them comes `ENVELOPE_BACK`.
   * @param list with its own apiVersion, kind and metadata
   * @param itemsBytes how long all pieces are together
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
