// Decodes a parsed body into the canonical object of its type in one walk, which modifies the body.

import { mapKey } from "../json/decode-problem";
import { isInt64, isWrittenAsFraction } from "../json/exact-json";
import { isObject, type JsonArray, type JsonObject, type JsonValue, setMember } from "../json/json-value";
import type {
  EitherType,
  Field,
  IntegerType,
  ItemNulls,
  ListType,
  MapType,
  RuntimeType,
  StructType,
} from "../types/runtime-type";
import { isEmpty, zeroItem, zeroValue } from "../types/zero-value";
import { canonicalBase64 } from "../values/base64";
import { canonicalDuration } from "../values/duration";
import { canonicalQuantity } from "../values/quantity";
import { canonicalMicroTime, canonicalTime } from "../values/time";
import type { DecodeWalk } from "./decode-walk";

/**
 * Decodes a struct.
 * @param walk collects problems and has the path for errors
 * @returns the canonical object: fields in the type's order, map keys sorted, values in their canonical texts
 * @throws DecodeError
 */
export function decodeStruct(walk: DecodeWalk, type: StructType, body: JsonValue): JsonObject {
  if (!isObject(body)) walk.failShape("struct", body);
  const { fields, fieldByName } = type;
  const asGiven = type.validatesLater === true;
  const given = new Array<JsonValue | undefined>(fields.length).fill(undefined);
  let unknown: string[] | undefined;
  for (const key of Object.keys(body)) {
    const field = fieldByName.get(key);
    if (field !== undefined) given[field.index] = body[key];
    else if (type.keepsUnknownFields) {
      unknown ??= [];
      unknown.push(key);
    } else walk.unknown(key);
  }
  const object: JsonObject = {};
  let members = 1;
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index] as Field;
    const value = asGiven ? fieldAsGiven(walk, field, given[index]) : decodeField(walk, field, given[index]);
    if (value === undefined) continue;
    setMember(object, field.name, value);
    members += 1;
  }
  walk.hold(members);
  if (unknown !== undefined) keepUnknown(unknown, { from: body, to: object });
  return object;
}

function keepUnknown(
  names: readonly string[],
  { from, to }: { readonly from: JsonObject; readonly to: JsonObject },
): void {
  for (const name of names) setMember(to, name, withoutMarks(from[name] as JsonValue));
}

/** Decodes a field. @returns undefined for a field that the object does not contain */
function decodeField(walk: DecodeWalk, field: Field, given: JsonValue | undefined): JsonValue | undefined {
  const { whenAbsent, dropsEmpty } = field.emission;
  if (given !== undefined && given !== null) {
    walk.enter(field.name);
    const value = decodeValue(walk, field.type, given);
    walk.leave();
    if (value !== null && !(dropsEmpty && isEmpty(value))) return value;
  }
  if (given === null && field.nullable === true) return null;
  if (whenAbsent === "nothing") return undefined;
  return whenAbsent === "null" ? null : zeroValue(field.type);
}

/** Decodes a value. @returns null for the zero time, whose JSON is null */
function decodeValue(walk: DecodeWalk, type: RuntimeType, value: JsonValue): JsonValue {
  switch (type.kind) {
    case "string":
      return typeof value === "string" ? value : walk.fail("a string", value);
    case "struct":
      return decodeStruct(walk, type, value);
    case "list":
      return decodeList(walk, type, value);
    case "map":
      return decodeMap(walk, type, value);
    case "boolean":
      return typeof value === "boolean" ? value : walk.fail("a boolean", value);
    case "integer":
      return decodeInteger(walk, type, value);
    case "number":
      if (typeof value === "bigint") return Number(value);
      return typeof value === "number" ? value : walk.fail("a number", value);
    case "quantity":
      return decodeText(walk, "a quantity", isNumber(value) ? String(value) : value, canonicalQuantity);
    case "intOrString":
      if (typeof value === "string") return value;
      return type.bits === 64
        ? decodeInteger(walk, INT64, value, "an integer of 64 bits or a string")
        : decodeInteger(walk, INT32, value, "an integer of 32 bits or a string");
    case "time":
      return zeroAsNull(decodeText(walk, "a time in RFC 3339", value, canonicalTime));
    case "microTime":
      return zeroAsNull(decodeText(walk, "a time in RFC 3339 with six decimals", value, canonicalMicroTime));
    case "duration":
      return decodeText(walk, 'a duration such as "1h30m"', value, canonicalDuration);
    case "bytes":
      return decodeText(walk, "bytes in base64", value, canonicalBase64);
    case "either":
      return decodeEither(walk, type, value);
    case "object":
    case "any":
      return withoutMarks(value);
  }
}

const INT32: IntegerType = { kind: "integer", bits: 32, unsigned: false };
const INT64: IntegerType = { kind: "integer", bits: 64, unsigned: false };

function decodeInteger(
  walk: DecodeWalk,
  type: IntegerType,
  value: JsonValue,
  expected = integerText(type),
): number | bigint {
  if (type.bits === 64)
    return isInt64(value) && !isWrittenAsFraction(value) ? value : failNumber(walk, expected, value);
  const min = type.unsigned ? 0 : -(2 ** 31);
  const max = type.unsigned ? 2 ** 32 - 1 : 2 ** 31 - 1;
  const fits = typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
  return fits ? value : failNumber(walk, expected, value);
}

const isNumber = (value: JsonValue): value is number | bigint => typeof value === "number" || typeof value === "bigint";

/** Distinguishes numbers that are too large from values that are not integers. */
const failNumber = (walk: DecodeWalk, expected: string, value: JsonValue): never =>
  isLarger(value) ? walk.failRange(expected, value) : walk.fail(expected, value);

const isLarger = (value: JsonValue): boolean =>
  (typeof value === "bigint" && !isWrittenAsFraction(value)) ||
  (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER);

function integerText({ bits, unsigned }: IntegerType): string {
  return `an ${unsigned ? "unsigned " : ""}integer of ${bits} bits`;
}

function decodeText(
  walk: DecodeWalk,
  expected: string,
  value: JsonValue,
  canonical: (text: string) => string | undefined,
): string {
  return (typeof value === "string" ? canonical(value) : undefined) ?? walk.fail(expected, value);
}

const ZERO_TIME = "0001-01-01T00:00:00";

function zeroAsNull(time: string): string | null {
  return time.startsWith(ZERO_TIME) && /^[Z.0]+$/.test(time.slice(ZERO_TIME.length)) ? null : time;
}

function decodeList(walk: DecodeWalk, { element, nulls }: ListType, value: JsonValue): JsonArray {
  if (!Array.isArray(value)) return walk.failShape("list", value);
  for (let index = 0; index < value.length; index++) {
    const item = value[index] as JsonValue;
    if (typeof item === "string" && element.kind === "string") continue;
    walk.enter(index);
    value[index] = item === null ? nullItem(walk, element, nulls) : decodeValue(walk, element, item);
    walk.leave();
  }
  return value;
}

/** Decodes a null item. One that counts as absent is kept until its default is set. */
function nullItem(walk: DecodeWalk, type: RuntimeType, nulls: ItemNulls | undefined): JsonValue {
  if (nulls !== undefined) return null;
  if (type.kind === "struct") walk.hold(1 + type.fields.length);
  return zeroItem(type);
}

function decodeMap(walk: DecodeWalk, type: MapType, value: JsonValue): JsonObject {
  if (!isObject(value)) return walk.failShape("map", value);
  const keys = Object.keys(value);
  let isSorted = true;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    if (index > 0 && key < (keys[index - 1] as string)) isSorted = false;
    const item = value[key] as JsonValue;
    if (typeof item === "string" && type.value.kind === "string") continue;
    walk.enter(mapKey(key));
    const decoded = item === null ? nullItem(walk, type.value, type.nulls) : decodeValue(walk, type.value, item);
    setMember(value, key, decoded);
    walk.leave();
  }
  return isSorted ? value : sorted(value, keys);
}

function sorted(map: JsonObject, keys: string[]): JsonObject {
  const result: JsonObject = {};
  for (const key of keys.sort()) setMember(result, key, map[key] as JsonValue);
  return result;
}

function decodeEither(walk: DecodeWalk, type: EitherType, value: JsonValue): JsonValue {
  if (isObject(value)) return decodeStruct(walk, type.object, value);
  if (type.other.kind === "list" && !Array.isArray(value)) return walk.fail("an object or an array", value);
  if (type.other.kind === "boolean" && typeof value !== "boolean") return walk.fail("an object or a boolean", value);
  return decodeValue(walk, type.other, value);
}

/**
 * Decodes a field of a type that validates later. Types of the built-in schema in it, such as metadata, are decoded as
 * usual.
 * @returns undefined for a null that is not a value and has no default
 */
function fieldAsGiven(walk: DecodeWalk, field: Field, given: JsonValue | undefined): JsonValue | undefined {
  if (given === undefined) return undefined;
  if (given === null) {
    const isKept = walk.keepsNulls && field.dropsAppliedNull !== true;
    return isKept || field.nullable === true || field.default !== undefined ? null : undefined;
  }
  walk.enter(field.name);
  const value = valueAsGiven(walk, field.type, given);
  walk.leave();
  return value;
}

/** Prunes fields that structs do not declare. Values of a wrong type are kept. */
function valueAsGiven(walk: DecodeWalk, type: RuntimeType, value: JsonValue): JsonValue {
  if (type.kind === "struct" && type.validatesLater !== true) return decodeStruct(walk, type, value);
  if (typeof value !== "object" || value === null) return withoutMarks(value);
  switch (type.kind) {
    case "struct":
      return Array.isArray(value) ? withoutMarks(value) : decodeStruct(walk, type, value);
    case "list":
      return Array.isArray(value) ? itemsAsGiven(walk, type, value) : withoutMarks(value);
    case "map":
      return Array.isArray(value) ? withoutMarks(value) : entriesAsGiven(walk, type, value);
    default:
      return withoutMarks(value);
  }
}

function itemsAsGiven(walk: DecodeWalk, { element }: ListType, items: JsonArray): JsonArray {
  for (let index = 0; index < items.length; index++) {
    walk.enter(index);
    items[index] = valueAsGiven(walk, element, items[index] as JsonValue);
    walk.leave();
  }
  return items;
}

function entriesAsGiven(walk: DecodeWalk, type: MapType, entries: JsonObject): JsonObject {
  const { nulls } = type;
  const areDropped = nulls?.are === "absent" && nulls.default === undefined;
  const dropsNull = areDropped && (!walk.keepsNulls || nulls.evenApplied === true);
  for (const key of Object.keys(entries)) {
    const entry = entries[key] as JsonValue;
    if (entry === null && dropsNull) {
      delete entries[key];
      continue;
    }
    walk.enter(mapKey(key));
    setMember(entries, key, valueAsGiven(walk, type.value, entry));
    walk.leave();
  }
  return entries;
}

/** Replaces marked fractions by numbers in a value without a declared type. */
function withoutMarks(value: JsonValue): JsonValue {
  if (typeof value === "bigint") return isWrittenAsFraction(value) ? Number(value) : value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item = value[index] as JsonValue;
      const kept = withoutMarks(item);
      if (kept !== item) value[index] = kept;
    }
  } else if (typeof value === "object" && value !== null) {
    for (const key of Object.keys(value)) {
      const member = value[key] as JsonValue;
      const kept = withoutMarks(member);
      if (kept !== member) setMember(value, key, kept);
    }
  }
  return value;
}
