// Whether a value is one that a parameter of a function takes. The elements of a list are looked at when they are used.
import type { CelType } from "../typing/cel-type";
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

export function isOf(value: CelValue, type: CelType): boolean {
  switch (type.kind) {
    case "dyn":
    case "parameter":
      return true;
    case "null":
      return value === null;
    case "bool":
      return typeof value === "boolean";
    case "int":
      return typeof value === "bigint";
    case "uint":
      return value instanceof Uint;
    case "double":
      return typeof value === "number";
    case "string":
      return typeof value === "string";
    case "bytes":
      return value instanceof Uint8Array;
    case "timestamp":
      return value instanceof Timestamp;
    case "duration":
      return value instanceof Duration;
    case "list":
      return (
        value instanceof CelList && (value.size === 0 || type.item.kind === "parameter" || isOf(value.at(0), type.item))
      );
    case "map":
      return value instanceof CelMap;
    case "object":
      return value instanceof CelMap;
    case "type":
      return value instanceof TypeValue;
    case "optional":
      return value instanceof OptionalValue && (value.value === undefined || isOf(value.value, type.of));
    case "opaque":
      return value instanceof OpaqueValue && value.typeName === type.name;
  }
}
