// Protobuf fields of a type's message.
import { type FieldRecord, type SpecialKind, splitReference, type TypeRecord } from "./descriptor-record";
import type { RecordSource } from "./type-loader";

/** 0: varint, 1: eight bytes, 2: length-delimited. */
export type WireType = 0 | 1 | 2;

export interface WireField {
  readonly number: number;
  readonly wireType: WireType;
  /** Protobuf name. */
  readonly name: string;
  /** JSON name; meaningless when `isInline`. */
  readonly jsonName: string;
  /**
   * A scalar type of protobuf, or "<file>.<Type>" of a message: that of the field, of the list's elements or of the
   * map's values.
   */
  readonly type: string;
  readonly shape: "single" | "list" | "map";
  /** A message whose fields JSON writes among those of the owner. */
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

/**
 * Returns the fields of a message in ascending order; undefined for unknown types and those without a protobuf form.
 */
export function wireFields(records: RecordSource, reference: string): readonly WireField[] | undefined {
  const found = typeRecord(records, reference);
  if (found === undefined || found.type.jsonOnly) return undefined;
  return (found.type.fields ?? []).map((field) => wireField(field, found.file)).sort((a, b) => a.number - b.number);
}

/** Returns how the JSON of a type differs from its message; undefined if it does not. */
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
