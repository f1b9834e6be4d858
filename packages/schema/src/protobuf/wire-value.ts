// Codecs of single values, without the keys of their fields.

import type { WireType } from "../descriptor/wire-message";
import { bigIntOf } from "../json/exact-json";
import type { JsonValue } from "../json/json-value";
import { ProtobufError } from "./protobuf-error";
import type { ProtobufReader } from "./protobuf-reader";
import type { ProtobufWriter } from "./protobuf-writer";

export interface WireValue {
  readonly wireType: WireType;
  /** @param value null and undefined represent the zero value */
  write(writer: ProtobufWriter, value: JsonValue | undefined): void;
  /** @param earlier previous value of the same field: the fields of a message are merged into it */
  read(reader: ProtobufReader, earlier?: JsonValue): JsonValue;
}

/** Codecs by protobuf type name. Values are in the canonical JSON form; writing does not check them. */
export const SCALAR_VALUES: Readonly<Record<string, WireValue>> = {
  bool: {
    wireType: 0,
    write: (writer, value) => writer.varint(value === true ? 1 : 0),
    read: (reader) => reader.bool(),
  },
  int32: {
    wireType: 0,
    write: (writer, value) => writer.integer((value as number) ?? 0),
    read: (reader) => reader.int32(),
  },
  int64: {
    wireType: 0,
    write: (writer, value) => writeInt64(writer, (value as number | bigint) ?? 0),
    read: (reader) => reader.int64(),
  },
  uint32: {
    wireType: 0,
    write: (writer, value) => writer.integer((value as number) ?? 0),
    read: (reader) => reader.uint32(),
  },
  double: {
    wireType: 1,
    write: (writer, value) => writer.double((value as number) ?? 0),
    read: (reader) => {
      const value = reader.double();
      if (!Number.isFinite(value)) throw new ProtobufError(`${value} is not a number that JSON has`);
      return value;
    },
  },
  string: {
    wireType: 2,
    write: (writer, value) => writer.text((value as string) ?? ""),
    read: (reader) => reader.text(),
  },
  bytes: {
    wireType: 2,
    write: (writer, value) => {
      const bytes = Buffer.from((value as string) ?? "", "base64");
      writer.raw(bytes);
      writer.varint(bytes.length);
    },
    read: (reader) => reader.bytes().toString("base64"),
  },
};

function writeInt64(writer: ProtobufWriter, value: number | bigint): void {
  if (Number.isSafeInteger(value)) writer.integer(value as number);
  else writer.bigInteger(bigIntOf(value));
}
