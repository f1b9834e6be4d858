// Values of absent fields in the canonical object, as Go's encoding/json writes them.
import { type JsonObject, type JsonValue, setMember } from "../json/json-value";
import type { Emission, RuntimeType, StructType } from "./runtime-type";

const NOTHING: Emission = { whenAbsent: "nothing", dropsEmpty: false };
const NOTHING_OR_EMPTY: Emission = { whenAbsent: "nothing", dropsEmpty: true };
const NULL: Emission = { whenAbsent: "null", dropsEmpty: false };
const ZERO: Emission = { whenAbsent: "zero", dropsEmpty: false };

/**
 * Returns the rule of a field. A struct that is not a pointer is always written, as are the types that are structs in
 * Go.
 */
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

/** Returns a new zero value: for a struct, the fields that are written even when empty. */
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

/** Returns the value of null as an item of a list or the value of a key, where it is not an absence. */
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

/** Reports whether `dropsEmpty` takes a value for absent: false, 0, "", [] or {}. */
export function isEmpty(value: JsonValue): boolean {
  if (typeof value !== "object") return value === "" || value === 0 || value === false;
  if (value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}
