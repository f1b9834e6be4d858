// Named types, types of literals, and comparison of types.

import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  optionalOf,
  STRING,
  TIMESTAMP,
  typeText,
  UINT,
} from "../values/cel-type";
import { type CelValue, Uint } from "../values/cel-value";

export const TYPE_NAMES: Readonly<Record<string, CelType>> = {
  bool: BOOL,
  int: INT,
  uint: UINT,
  double: DOUBLE,
  string: STRING,
  bytes: BYTES,
  list: listOf(DYN),
  map: mapOf(DYN, DYN),
  null_type: NULL,
  type: { kind: "type", of: DYN },
  optional_type: optionalOf(DYN),
  "google.protobuf.Timestamp": TIMESTAMP,
  "google.protobuf.Duration": DURATION,
};

export function typeOfLiteral(value: CelValue): CelType {
  if (typeof value === "bigint") return INT;
  if (typeof value === "number") return DOUBLE;
  if (typeof value === "string") return STRING;
  if (typeof value === "boolean") return BOOL;
  if (value instanceof Uint) return UINT;
  return value === null ? NULL : BYTES;
}

export const undeclared = (name: string): string => `undeclared reference to '${name}' (in container '')`;

export const noOverload = (name: string, types: readonly CelType[], isMethod = false): string => {
  const [first, ...rest] = types.map(typeText);
  const args = isMethod ? `${first}.(${rest.join(", ")})` : `(${types.map(typeText).join(", ")})`;
  return `found no matching overload for '${name}' applied to '${args}'`;
};

export function hasDyn(type: CelType): boolean {
  switch (type.kind) {
    case "dyn":
      return true;
    case "list":
      return hasDyn(type.item);
    case "map":
      return hasDyn(type.key) || hasDyn(type.value);
    case "optional":
      return hasDyn(type.of);
    default:
      return false;
  }
}

export function isSame(a: CelType, b: CelType): boolean {
  return a === b || (a.kind === b.kind && typeText(a) === typeText(b));
}

/** Quick check by kind that a value cannot match a parameter, which rejects most overloads of a name. */
export const cannotBe = (param: CelType, type: CelType): boolean =>
  param.kind !== type.kind && PLAIN.has(param.kind) && PLAIN.has(type.kind);
const PLAIN = new Set<CelType["kind"]>([
  "bool",
  "int",
  "uint",
  "double",
  "string",
  "bytes",
  "timestamp",
  "duration",
  "list",
  "map",
]);
