// What stands in the canonical object for a value that nobody gave.
// Source: schema facts, special-types.json, "emission".
import type { JsonObject, JsonValue } from "./json";
import { setMember } from "./json-member";
import type { Emission, RuntimeType, StructType } from "./runtime-type";

const NOTHING: Emission = { whenAbsent: "nothing", dropsEmpty: false };
const NOTHING_OR_EMPTY: Emission = { whenAbsent: "nothing", dropsEmpty: true };
const NULL: Emission = { whenAbsent: "null", dropsEmpty: false };
const ZERO: Emission = { whenAbsent: "zero", dropsEmpty: false };

/** The rule for one field. A struct that is no pointer is always written, and so are the kinds that are structs underneath. */
export function emissionOf(
  type: RuntimeType,
  field: { readonly isPointer: boolean; readonly omitEmpty: boolean; readonly omitZero: boolean },
): Emission {
  if (field.omitZero) return NOTHING;
  if (field.isPointer) return field.omitEmpty ? NOTHING : NULL;
  switch (type.kind) {
    case "list":
    case "map":
    case "bytes":
      return field.omitEmpty ? NOTHING_OR_EMPTY : NULL;
    case "string":
    case "boolean":
    case "integer":
    case "number":
      return field.omitEmpty ? NOTHING_OR_EMPTY : ZERO;
    case "time":
    case "microTime":
    case "object":
    case "any":
    case "either":
      return NULL;
    case "struct":
    case "quantity":
    case "intOrString":
    case "duration":
      return ZERO;
  }
}

/** A fresh zero value: for a struct, the fields that are written even when empty. */
export function zeroValue(type: RuntimeType): JsonValue {
  switch (type.kind) {
    case "struct":
      return zeroStruct(type);
    case "string":
      return "";
    case "boolean":
      return false;
    case "integer":
    case "number":
    case "intOrString":
      return 0;
    case "quantity":
      return "0";
    case "duration":
      return "0s";
    case "list":
    case "map":
    case "bytes":
    case "time":
    case "microTime":
    case "object":
    case "any":
    case "either":
      return null;
  }
}

/** What null stands for as an item of a list or the value of a key: there it is no absence, and nothing that is measured may be null. */
export function zeroItem(type: RuntimeType): JsonValue {
  switch (type.kind) {
    case "bytes":
      return "";
    case "list":
      return [];
    case "map":
      return {};
    default:
      return zeroValue(type);
  }
}

function zeroStruct(type: StructType): JsonObject {
  const object: JsonObject = {};
  for (const field of type.fields) {
    const { whenAbsent } = field.emission;
    if (whenAbsent !== "nothing") setMember(object, field.name, whenAbsent === "null" ? null : zeroValue(field.type));
  }
  return object;
}

/** false, 0, "", [] or {}: what `dropsEmpty` takes for absent. */
export function isEmpty(value: JsonValue): boolean {
  if (typeof value !== "object") return value === "" || value === 0 || value === false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}
