// CEL types of mutations: parts of an object by path, and JSON patch operations. Source: KEP-3962, "Mutating Admission
// Policies".
import { type CelType, DYN, opaqueOf, STRING, type StructDeclaration } from "@orch/expressions";

const OBJECT = /^Object(\.[a-zA-Z_][a-zA-Z0-9_]*)*$/;

const PATCH_FIELDS: ReadonlyMap<string, CelType> = new Map([
  ["op", STRING],
  ["path", STRING],
  ["from", STRING],
  ["value", DYN],
]);

/**
 * Declares `Object`, `Object.spec.template` and `JSONPatch`. Whether a type fits its path is checked when the value is
 * built.
 */
export function MUTATION_STRUCTS(typeName: string): StructDeclaration | undefined {
  if (typeName === "JSONPatch") return { type: opaqueOf(typeName), field: (name) => PATCH_FIELDS.get(name) };
  return OBJECT.test(typeName) ? { type: opaqueOf(typeName), field: () => DYN } : undefined;
}
