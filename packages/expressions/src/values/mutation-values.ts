// Converts the values of mutation expressions to JSON. A JSON patch takes each value that has a JSON form, as protobuf
// maps it. A configuration takes plain values only. Source:
// staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch.
import type { JsonObject, JsonValue } from "@orch/schema";
import {
  ArrayList,
  CelList,
  CelMap,
  type CelValue,
  DictionaryMap,
  Duration,
  OptionalValue,
  Timestamp,
  typeNameOf,
  Uint,
} from "./cel-value";
import { ConcatenatedList } from "./concatenated-list";
import { StructValue } from "./struct-value";
import { durationSeconds, timestampText } from "./time-value";

/** Value that a mutation cannot set. */
export class UnsupportedValue extends Error {
  override readonly name = "UnsupportedValue";
}

/** Maximum nesting of a converted value. */
const DEPTH_MAX = 64;

/**
 * Converts the value of a JSON patch operation. Integers that JSON clients may read wrongly become strings.
 * @throws UnsupportedValue
 */
export function patchValueOf(value: CelValue, depth = 0): JsonValue {
  if (depth > DEPTH_MAX) throw new UnsupportedValue("the value is nested too deeply");
  const plain = plainOf(value);
  if (plain !== undefined) return plain;
  if (value === null) return null;
  if (typeof value === "bigint" || value instanceof Uint) return integerOf(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationSeconds(value);
  if (value instanceof OptionalValue) return value.value === undefined ? null : patchValueOf(value.value, depth + 1);
  if (value instanceof CelList) return itemsOf(value, (item) => patchValueOf(item, depth + 1));
  const entries = entriesOf(value);
  if (entries === undefined) throw new UnsupportedValue(`type conversion not supported for '${typeNameOf(value)}'`);
  return objectOf(entries, (member) => patchValueOf(member, depth + 1));
}

/**
 * Converts an `Object{…}`. Lists and maps of literals hold scalars and objects: a list or map literal inside of another
 * one is not supported, and neither are null, bytes, unsigned integers, timestamps and durations.
 * @throws UnsupportedValue, which names the path
 */
export function configurationOf(value: StructValue): JsonObject {
  return objectOf(value.fields, (member, name) => memberOf(member, `.${name}`));
}

function memberOf(value: CelValue, path: string): JsonValue {
  if (value instanceof StructValue)
    return objectOf(value.fields, (member, name) => memberOf(member, `${path}.${name}`));
  if (isListLiteral(value)) return itemsOf(value, (item, index) => elementOf(item, `${path}[${index}]`));
  if (value instanceof DictionaryMap)
    return objectOf(
      value.keys().map((key) => [key, value.get(key) as CelValue]),
      (member, key) => elementOf(member, `${path}.${key}`),
    );
  return elementOf(value, path);
}

/** Converts an element of a literal, or a value that is no literal, such as a part of the object. */
function elementOf(value: CelValue, path: string): JsonValue {
  if (value instanceof StructValue) return memberOf(value, path);
  const plain = plainOf(value);
  if (plain !== undefined) return plain;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  const isView = (value instanceof CelList || value instanceof CelMap) && !isLiteral(value);
  if (isView) return patchValueOf(value);
  const found = value === null ? "null" : `a value of type ${typeNameOf(value)}`;
  const why = isLiteral(value) ? "a list or map literal inside of another one; use an Object type" : found;
  throw new UnsupportedValue(`${path}: expected a scalar, an object or a list of these, got ${why}`);
}

const isListLiteral = (value: CelValue): value is CelList =>
  value instanceof ArrayList || value instanceof ConcatenatedList;
const isLiteral = (value: CelValue): boolean => isListLiteral(value) || value instanceof DictionaryMap;

function plainOf(value: CelValue): boolean | number | string | undefined {
  switch (typeof value) {
    case "boolean":
    case "number":
    case "string":
      return value;
    default:
      return undefined;
  }
}

function integerOf(value: bigint | Uint): JsonValue {
  const whole = value instanceof Uint ? value.value : value;
  return Number.isSafeInteger(Number(whole)) ? Number(whole) : `${whole}`;
}

function entriesOf(value: CelValue): Iterable<readonly [CelValue, CelValue]> | undefined {
  if (value instanceof StructValue) return value.fields;
  return value instanceof CelMap ? value.keys().map((key) => [key, value.get(key) as CelValue]) : undefined;
}

function itemsOf(list: CelList, convert: (item: CelValue, index: number) => JsonValue): JsonValue[] {
  return Array.from({ length: list.size }, (_, index) => convert(list.at(index), index));
}

function objectOf(
  entries: Iterable<readonly [CelValue, CelValue]>,
  convert: (member: CelValue, key: string) => JsonValue,
): JsonObject {
  const members: [string, JsonValue][] = [];
  for (const [key, value] of entries) {
    if (typeof key !== "string")
      throw new UnsupportedValue(`unsupported type conversion from '${typeNameOf(key)}' to string`);
    members.push([key, convert(value, key)]);
  }
  return Object.fromEntries(members);
}
