// Codecs between messages and canonical objects, compiled once for each message type of the built-in schema. Fields
// that are not pointers are always written; pointers, bytes, lists and maps when present; empty lists and maps are not
// written.

import type { RecordSource } from "../descriptor/type-loader";
import { specialOf, type WireField, wireFields } from "../descriptor/wire-message";
import type { JsonObject } from "../json/json-value";
import { ProtobufError } from "./protobuf-error";
import type { ProtobufReader } from "./protobuf-reader";
import type { ProtobufWriter } from "./protobuf-writer";
import { type ReadEnveloped, type SpecialMessage, specialMessage } from "./special-message";
import { inlineField, listField, mapField, singleField, type WireFieldCodec } from "./wire-field";
import { SCALAR_VALUES, type WireValue } from "./wire-value";

/** Creates each codec at its first use. */
export class MessageCodecs {
  private readonly records: RecordSource;
  private readonly readEnveloped: ReadEnveloped;
  private readonly values = new Map<string, WireValue>();

  constructor(records: RecordSource, readEnveloped: ReadEnveloped) {
    this.records = records;
    this.readEnveloped = readEnveloped;
  }

  /** Returns the codec of a message. @param reference "<file>.<Type>"; undefined for types without a protobuf form */
  message(reference: string): MessageCodec | undefined {
    const fields = wireFields(this.records, reference);
    return fields && new MessageCodec(() => fields.map((field) => this.field(field)));
  }

  /** Returns the codec of a scalar, or of a message with its length prefix. */
  private value(type: string): WireValue {
    let value = SCALAR_VALUES[type] ?? this.values.get(type);
    if (value === undefined) {
      value = this.messageValue(type);
      this.values.set(type, value);
    }
    return value;
  }

  private messageValue(reference: string): WireValue {
    const special = specialOf(this.records, reference);
    if (special === undefined) return messageValue(this.required(reference));
    const conversion = specialMessage(special, this.readEnveloped);
    if (conversion === undefined) throw new Error(`${reference} is not a field type`);
    const fields = wireFields(this.records, reference) ?? [];
    return specialValue(
      new MessageCodec(() => fields.map((field) => this.specialField(field, conversion))),
      conversion,
    );
  }

  private required(reference: string): MessageCodec {
    const codec = this.message(reference);
    if (codec === undefined) throw new Error(`${reference} has no protobuf form`);
    return codec;
  }

  private field(field: WireField): WireFieldCodec {
    if (field.isInline) return inlineField(field, messageValue(this.required(field.type)));
    const value = this.value(field.type);
    switch (field.shape) {
      case "list":
        return listField(field, value);
      case "map":
        return mapField(field, value, { keepsAbsent: field.type !== "bytes" });
      case "single":
        return singleField(field, value, { isOptional: field.isPointer || this.isNilable(field.type) });
    }
  }

  /** Reports whether a type is a Go slice, for which absent differs from empty: bytes and lists of strings. */
  private isNilable(type: string): boolean {
    return type === "bytes" || specialOf(this.records, type) === "stringList";
  }

  /** Returns the codec of a field in a special message. A nested message is written only when present. */
  private specialField(field: WireField, { scalar }: SpecialMessage): WireFieldCodec {
    if (field.shape === "list") return listField(field, this.value(field.type));
    if (SCALAR_VALUES[field.type] === undefined)
      return singleField(field, this.value(field.type), { isOptional: true });
    return singleField(field, scalar ?? this.value(field.type), { isOptional: false });
  }
}

/** Codec of the fields of a message, without its own key and length. */
export class MessageCodec {
  private readonly makeFields: () => readonly WireFieldCodec[];
  private lastToFirst: readonly WireFieldCodec[] | undefined;
  private byNumber: ReadonlyMap<number, WireFieldCodec> | undefined;

  /**
   * @param makeFields returns the fields in ascending order; called at the first use, so that messages may contain
   * themselves
   */
  constructor(makeFields: () => readonly WireFieldCodec[]) {
    this.makeFields = makeFields;
  }

  write(writer: ProtobufWriter, object: JsonObject): void {
    this.lastToFirst ??= this.makeFields().toReversed();
    for (const field of this.lastToFirst) field.write(writer, object);
  }

  /** Reads a message into `object`: JSON values, not in canonical order yet. */
  read(reader: ProtobufReader, object: JsonObject): void {
    this.byNumber ??= new Map(this.makeFields().map((field) => [field.number, field]));
    while (reader.hasMore) {
      const key = reader.key();
      const field = this.byNumber.get(key >>> 3);
      if (field === undefined) {
        reader.skip(key);
        continue;
      }
      try {
        field.read(reader, key & 7, object);
      } catch (error) {
        if (!(error instanceof ProtobufError)) throw error;
        throw error.within(field.step(object));
      }
    }
  }
}

const NO_FIELDS: JsonObject = {};

function messageValue(codec: MessageCodec): WireValue {
  return {
    wireType: 2,
    write: (writer, value) => {
      const before = writer.length;
      codec.write(writer, (value as JsonObject) ?? NO_FIELDS);
      writer.varint(writer.length - before);
    },
    read: (reader, earlier) => {
      const object = (earlier as JsonObject) ?? {};
      const outer = reader.enter();
      codec.read(reader, object);
      reader.leave(outer);
      return object;
    },
  };
}

function specialValue(codec: MessageCodec, { toMessage, fromMessage }: SpecialMessage): WireValue {
  return {
    wireType: 2,
    write: (writer, value) => {
      const before = writer.length;
      const message = toMessage(value ?? null);
      if (message !== undefined) codec.write(writer, message);
      writer.varint(writer.length - before);
    },
    read: (reader) => {
      const message: JsonObject = {};
      const outer = reader.enter();
      codec.read(reader, message);
      reader.leave(outer);
      return fromMessage(message);
    },
  };
}
