// The types of what mutations make: parts of an object by their paths, and operations of a JSON patch.
// Source: the field's types for mutations.
import { type CelType, DYN, opaqueOf, STRING, type StructDeclaration } from "@orch/expressions";

const OBJECT = /^Object(\.[a-zA-Z_][a-zA-Z0-9_]*)*$/;

const PATCH_FIELDS: ReadonlyMap<string, CelType> = new Map([
  ["op", STRING],
  ["path", STRING],
  ["from", STRING],
  ["value", DYN],
]);

/** `Object`, `Object.spec.template`, `JSONPatch`. Whether a part stands at its path is found out when it is made. */
export function MUTATION_STRUCTS(typeName: string): StructDeclaration | undefined {
  if (typeName === "JSONPatch") return { type: opaqueOf(typeName), field: (name) => PATCH_FIELDS.get(name) };
  return OBJECT.test(typeName) ? { type: opaqueOf(typeName), field: () => DYN } : undefined;
}
