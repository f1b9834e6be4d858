// The list type of a resource: taken from the recorded schema, or made from the object type for resources that the
// schema does not have.

import type { Route } from "@orch/request";
import { dynamicStruct, type Schema, type StructType, standardListFields } from "@orch/schema";
import { knownType, META } from "./meta-types";

/** One list type per object type, so that a document that refers to it twice contains it once. */
const made = new WeakMap<StructType, StructType>();

export function listTypeOf({ definition, version }: Route, schema: Schema): StructType {
  const { group, version: name, type } = version;
  const recorded = schema.objectType(group, name, definition.listKind)?.struct;
  if (recorded !== undefined) return recorded;
  const known =
    made.get(type.struct) ?? listOf(type.struct, `${group}/${name}.${definition.listKind}`, definition, schema);
  made.set(type.struct, known);
  return known;
}

function listOf(
  element: StructType,
  name: string,
  { plural, kind, listKind }: Route["definition"],
  schema: Schema,
): StructType {
  const metadata = knownType(schema, META, "ListMeta");
  return dynamicStruct({
    name,
    isRoot: true,
    fields: [
      { name: "metadata", type: metadata },
      { name: "items", type: { kind: "list", element, relation: "atomic", keys: [] }, required: true },
    ],
    // biome-ignore lint/correctness/useYield: a list is published in one step
    *published(version, reference) {
      const items = { type: "array", description: `List of ${plural}.`, items: reference(element) };
      return {
        description: `${listKind} is a list of ${kind}.`,
        type: "object",
        required: ["items"],
        properties: { ...standardListFields(version, reference(metadata)), items },
      };
    },
  });
}
