// Protobuf forms of all kinds, including the handling of embedded objects.

import type { RecordSource } from "../descriptor/type-loader";
import { JsonError } from "../json/json-error";
import type { JsonValue } from "../json/json-value";
import { parseJson } from "../json/parse-json";
import { type Envelope, readEnvelope } from "../protobuf/envelope";
import { MessageCodecs } from "../protobuf/message-codec";
import { ProtobufError } from "../protobuf/protobuf-error";
import { ProtobufForm } from "../protobuf/protobuf-form";
import { ProtobufWriter } from "../protobuf/protobuf-writer";
import type { StructType } from "../types/runtime-type";
import type { ObjectType } from "./schema";

/** Model for the start of all lists: their metadata is the first field, their items are the second. */
const LIST = "meta/v1.List";
/** Depth counted for an embedded object, which takes more of the stack than a message. */
const DEPTH_OF_OBJECT = 50;

export class ProtobufForms {
  private readonly codecs: MessageCodecs;
  private readonly writer = new ProtobufWriter();
  private readonly typeOf: (apiVersion: string, kind: string) => ObjectType | undefined;

  constructor(records: RecordSource, typeOf: (apiVersion: string, kind: string) => ObjectType | undefined) {
    this.typeOf = typeOf;
    this.codecs = new MessageCodecs(records, (bytes, depth) => this.read(readEnvelope(bytes), depth));
  }

  /** Returns the protobuf form of a type; undefined for types that are not root objects or have none. */
  formOf(type: StructType): ProtobufForm | undefined {
    const object = type.isRoot ? this.codecs.message(type.name) : undefined;
    const list = this.codecs.message(LIST);
    return object && list && new ProtobufForm({ object, list }, this.writer);
  }

  private read(envelope: Envelope, depth: number): JsonValue {
    const { apiVersion, kind, contentType, raw } = envelope;
    if (contentType === "application/json") return parsed(raw);
    const type = this.typeOf(apiVersion, kind);
    if (type?.protobuf === undefined) throw new ProtobufError(`no kind "${kind}" exists in version "${apiVersion}"`);
    return type.decode(type.protobuf.decode(envelope, depth + DEPTH_OF_OBJECT)).value;
  }
}

function parsed(text: Buffer): JsonValue {
  try {
    return parseJson(text).value;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new ProtobufError(error.message);
  }
}
