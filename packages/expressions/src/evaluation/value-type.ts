// Tests whether a value matches a parameter's type. Only the first element of a list is tested; the others are checked
// when they are used.
import type { CelType } from "../values/cel-type";
import {
  CelList,
  CelMap,
  type CelValue,
  Duration,
  OpaqueValue,
  OptionalValue,
  Timestamp,
  TypeValue,
  Uint,
} from "../values/cel-value";

export type TypeTest = (value: CelValue) => boolean;

const IS_ANY: TypeTest = () => true;
const IS_MAP: TypeTest = (value) => value instanceof CelMap;

const SIMPLE = {
  dyn: IS_ANY,
  parameter: IS_ANY,
  null: (value) => value === null,
  bool: (value) => typeof value === "boolean",
  int: (value) => typeof value === "bigint",
  uint: (value) => value instanceof Uint,
  double: (value) => typeof value === "number",
  string: (value) => typeof value === "string",
  bytes: (value) => value instanceof Uint8Array,
  timestamp: (value) => value instanceof Timestamp,
  duration: (value) => value instanceof Duration,
  map: IS_MAP,
  object: IS_MAP,
  type: (value) => value instanceof TypeValue,
} as const satisfies Partial<Record<CelType["kind"], TypeTest>>;

export function testOf(type: CelType): TypeTest {
  switch (type.kind) {
    case "list": {
      if (type.item.kind === "parameter") return (value) => value instanceof CelList;
      const item = testOf(type.item);
      return (value) => value instanceof CelList && (value.size === 0 || item(value.at(0)));
    }
    case "optional": {
      const inner = testOf(type.of);
      return (value) => value instanceof OptionalValue && (value.value === undefined || inner(value.value));
    }
    case "opaque": {
      const { name } = type;
      return (value) => value instanceof OpaqueValue && value.typeName === name;
    }
    default:
      return SIMPLE[type.kind];
  }
}
