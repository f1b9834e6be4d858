// Codecs of fields: their keys, and the rules for absent values.

import type { WireField } from "../descriptor/wire-message";
import { type JsonArray, type JsonObject, type JsonValue, setMember } from "../json/json-value";
import { ProtobufError } from "./protobuf-error";
import { ProtobufReader } from "./protobuf-reader";
import type { ProtobufWriter } from "./protobuf-writer";
import { SCALAR_VALUES, type WireValue } from "./wire-value";

export interface WireFieldCodec {
  readonly number: number;
  write(writer: ProtobufWriter, owner: JsonObject): void;
  /** Reads the next value into `owner`. */
  read(reader: ProtobufReader, wireType: number, owner: JsonObject): void;
  /** Returns the field's step in an error's path, while it is being read. */
  step(owner: JsonObject): string;
}

/**
 * Returns the codec of a single field.
 * @param options.isOptional an absent value is omitted instead of written as zero
 */
export function singleField(field: WireField, value: WireValue, options: { isOptional: boolean }): WireFieldCodec {
  const { number, jsonName } = field;
  const { isOptional } = options;
  const key = keyOf(number, value);
  return {
    number,
    write: (writer, owner) => {
      const present = owner[jsonName] ?? undefined;
      if (present === undefined && isOptional) return;
      value.write(writer, present);
      writer.varint(key);
    },
    read: (reader, wireType, owner) => {
      requireWireType(value, wireType);
      owner[jsonName] = value.read(reader, owner[jsonName]);
    },
    step: () => jsonName,
  };
}

/** Returns the codec of a message whose fields JSON writes among those of the owner. */
export function inlineField({ number }: WireField, message: WireValue): WireFieldCodec {
  const key = keyOf(number, message);
  return {
    number,
    write: (writer, owner) => {
      message.write(writer, owner);
      writer.varint(key);
    },
    read: (reader, wireType, owner) => {
      requireWireType(message, wireType);
      message.read(reader, owner);
    },
    step: () => "",
  };
}

export function listField({ number, jsonName }: WireField, value: WireValue): WireFieldCodec {
  const key = keyOf(number, value);
  return {
    number,
    write: (writer, owner) => {
      const list = owner[jsonName];
      if (!Array.isArray(list)) return;
      for (let index = list.length - 1; index >= 0; index--) {
        value.write(writer, list[index]);
        writer.varint(key);
      }
    },
    read: (reader, wireType, owner) => {
      const list = listOf(owner, jsonName);
      // Other writers may pack numbers.
      if (wireType === PACKED && value.wireType !== PACKED) {
        const outer = reader.enter();
        while (reader.hasMore) list.push(value.read(reader));
        reader.leave(outer);
      } else {
        requireWireType(value, wireType);
        list.push(value.read(reader));
      }
    },
    step: (owner) => `${jsonName}[${listOf(owner, jsonName).length}]`,
  };
}

const PACKED = 2;

function listOf(owner: JsonObject, name: string): JsonArray {
  const list = owner[name];
  if (Array.isArray(list)) return list;
  const created: JsonArray = [];
  owner[name] = created;
  return created;
}

const KEY_OF_ENTRY_KEY = (1 << 3) | 2;
const STRING = SCALAR_VALUES["string"] as WireValue;

/** Returns the codec of a map. @param options.keepsAbsent an entry without a value is written with its zero value */
export function mapField(field: WireField, value: WireValue, options: { keepsAbsent: boolean }): WireFieldCodec {
  const { number, jsonName } = field;
  const { keepsAbsent } = options;
  const key = (number << 3) | 2;
  const keyOfValue = keyOf(2, value);
  const writeEntry = (writer: ProtobufWriter, name: string, entry: JsonValue | undefined): void => {
    const before = writer.length;
    if (keepsAbsent || (entry !== null && entry !== undefined)) {
      value.write(writer, entry);
      writer.varint(keyOfValue);
    }
    writer.text(name);
    writer.varint(KEY_OF_ENTRY_KEY);
    writer.varint(writer.length - before);
    writer.varint(key);
  };
  return {
    number,
    write: (writer, owner) => {
      const map = owner[jsonName] as JsonObject | null | undefined;
      if (map === null || map === undefined) return;
      const names = Object.keys(map).sort();
      for (let index = names.length - 1; index >= 0; index--) {
        const name = names[index] as string;
        writeEntry(writer, name, map[name]);
      }
    },
    read: (reader, wireType, owner) => {
      requireWireType(STRING, wireType);
      readEntry(reader, value, mapOf(owner, jsonName));
    },
    step: () => jsonName,
  };
}

function readEntry(reader: ProtobufReader, value: WireValue, map: JsonObject): void {
  let name = "";
  let entry: JsonValue | undefined;
  const outer = reader.enter();
  try {
    while (reader.hasMore) {
      const key = reader.key();
      if (key === KEY_OF_ENTRY_KEY) name = reader.text();
      else if (key >>> 3 === 2) {
        requireWireType(value, key & 7);
        entry = value.read(reader);
      } else reader.skip(key);
    }
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw error.within(`[${name}]`);
  }
  reader.leave(outer);
  setMember(map, name, entry ?? zeroOf(value));
}

function mapOf(owner: JsonObject, name: string): JsonObject {
  const created: JsonObject = {};
  const map = owner[name] ?? created;
  owner[name] = map;
  return map as JsonObject;
}

/** Encodes the zero value of every wire type. */
const ZEROS = Buffer.alloc(8);

function zeroOf(value: WireValue): JsonValue {
  return value.read(new ProtobufReader(ZEROS));
}

function keyOf(number: number, { wireType }: WireValue): number {
  return (number << 3) | wireType;
}

function requireWireType(value: WireValue, found: number): void {
  if (value.wireType !== found) throw new ProtobufError(`expected wire type ${value.wireType}, found ${found}`);
}
