// CEL types of built-in and custom kinds, and the names of their properties. Source: "Common Expression Language in
// Kubernetes" in the Kubernetes documentation, "Type checking".
import type { RuntimeType, StructType } from "@orch/schema";
import { BOOL, BYTES, type CelType, DOUBLE, DYN, INT, listOf, mapOf, STRING, TIMESTAMP } from "../values/cel-type";

/** CEL types by struct, so that each struct has one type; structs may be recursive. */
const known = new WeakMap<StructType, CelType>();

/**
 * Returns the type of a value.
 * @returns the type of a whole object for a struct; DYN for a type without declared fields
 */
export function recordType(type: RuntimeType): CelType {
  switch (type.kind) {
    case "struct":
      return structType(type);
    case "map":
      return mapOf(STRING, recordType(type.value));
    case "list":
      return listOf(recordType(type.element));
    case "string":
    case "duration":
      return STRING;
    case "integer":
      return INT;
    case "boolean":
      return BOOL;
    case "number":
      return DOUBLE;
    case "bytes":
      return BYTES;
    case "time":
    case "microTime":
      return TIMESTAMP;
    // Values of several types, such as numbers and strings.
    case "quantity":
    case "intOrString":
    case "either":
    case "object":
    case "any":
      return DYN;
  }
}

function structType(struct: StructType): CelType {
  const made = known.get(struct);
  if (made !== undefined) return made;
  if (struct.keepsUnknownFields) return DYN;
  const fields = new Map<string, CelType>();
  const type: CelType = { kind: "object", name: "object", fields };
  known.set(struct, type);
  for (const field of struct.fields) {
    const of = recordType(field.type);
    fields.set(field.name, of);
    const escaped = escapedProperty(field.name);
    if (escaped !== undefined) fields.set(escaped, of);
  }
  return type;
}

const RESERVED = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);
const ESCAPABLE = /^[a-zA-Z_.\-/][a-zA-Z0-9_.\-/]*$/;
const ESCAPED = /__|[.\-/]/g;
const SPELT: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/**
 * Escapes a property name that is not a CEL identifier. Source: "Validation rules" in the Kubernetes documentation of
 * CustomResourceDefinitions; staging/src/k8s.io/apiserver/pkg/cel/escaping.go.
 * @returns undefined for a name that expressions cannot express
 */
export function escapedProperty(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  return ESCAPABLE.test(name) ? name.replace(ESCAPED, (part) => SPELT[part] ?? part) : undefined;
}
