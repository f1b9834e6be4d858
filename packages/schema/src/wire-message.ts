// The protobuf side of a type: what its message looks like on the wire.
import { type FieldRecord, type SpecialKind, splitReference, type TypeRecord } from "./descriptor-record";
import type { RecordSource } from "./type-loader";

/** 0: varint, 1: eight bytes, 2: length and bytes. */
export type WireType = 0 | 1 | 2;

export interface WireField {
  readonly number: number;
  readonly wireType: WireType;
  /** In protobuf. */
  readonly name: string;
  /** In JSON; means nothing where `isInline`. */
  readonly jsonName: string;
  /** A scalar of protobuf, or "<file>.<Type>" of the message; of each element of a list, of each value of a map. */
  readonly type: string;
  readonly shape: "single" | "list" | "map";
  /** A message whose fields JSON writes among the owner's. */
  readonly isInline: boolean;
  readonly isPointer: boolean;
}

const SCALAR_WIRE_TYPES: Readonly<Record<string, WireType>> = {
  bool: 0,
  int32: 0,
  int64: 0,
  uint32: 0,
  double: 1,
  string: 2,
  bytes: 2,
};

/** @returns the message's fields by ascending number; undefined for types that are unknown or have no protobuf form */
export function wireFields(records: RecordSource, reference: string): readonly WireField[] | undefined {
  const found = typeRecord(records, reference);
  if (found === undefined || found.type.jsonOnly) return undefined;
  return (found.type.fields ?? []).map((field) => wireField(field, found.file)).sort((a, b) => a.number - b.number);
}

/** How a type's JSON differs from its message; undefined where it does not. */
export function specialOf(records: RecordSource, reference: string): SpecialKind | undefined {
  return typeRecord(records, reference)?.type.special;
}

function typeRecord(records: RecordSource, reference: string): { file: string; type: TypeRecord } | undefined {
  const [file, name] = splitReference(reference, "");
  const source = records(file);
  const alias = source?.aliases?.[name];
  if (alias !== undefined) return typeRecord(records, alias);
  const type = source?.types?.[name];
  return type && { file, type };
}

function wireField(record: FieldRecord, file: string): WireField {
  const scalar = SCALAR_WIRE_TYPES[record.type];
  const [home, name] = splitReference(record.type, file);
  return {
    number: record.number,
    wireType: record.shape === "map" ? 2 : (scalar ?? 2),
    name: record.name ?? record.json,
    jsonName: record.json,
    type: scalar === undefined ? `${home}.${name}` : record.type,
    shape: record.shape ?? "single",
    isInline: record.inline === true,
    isPointer: record.pointer === true,
  };
}
