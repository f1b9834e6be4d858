// A schema inside a definition, one node of its tree, and the places below it. Extensions are spelled in the vocabulary.
import { type apiextensionsV1beta1, type JsonObject, memberOf, type Vocabulary } from "@orch/schema";
import type { Place } from "../model/rules/place";

/** The keywords that every vocabulary has. */
export type SchemaNode = apiextensionsV1beta1.JSONSchemaProps;

type Extension = "preserveUnknownFields" | "embeddedResource" | "intOrString" | "listType" | "listMapKeys" | "mapType";

/** What a node says by the keywords that carry the product's name. */
export interface Extensions {
  readonly preserveUnknownFields?: boolean;
  readonly embeddedResource?: boolean;
  readonly intOrString?: boolean;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
}

const EXTENSIONS: readonly Extension[] = [
  "preserveUnknownFields",
  "embeddedResource",
  "intOrString",
  "listType",
  "listMapKeys",
  "mapType",
];

export function extensionsOf(node: SchemaNode, { schemaExtensions: names }: Vocabulary): Extensions {
  const object = node as unknown as JsonObject;
  const found: Record<string, unknown> = {};
  for (const id of EXTENSIONS) {
    const value = object[names[id]];
    if (value !== undefined && value !== null) found[id] = value;
  }
  return found;
}

/** Where a node says it. */
export const extensionAt = (at: Place, id: Extension, { schemaExtensions }: Vocabulary): Place =>
  at.field(schemaExtensions[id]);

/** The one schema of all items; a list of schemas is none. */
export const itemsOf = ({ items }: SchemaNode): SchemaNode | undefined =>
  items === undefined || items === null || Array.isArray(items) ? undefined : items;

/** The schema of what is not named; `true` and `false` are none. */
export const additionalOf = ({ additionalProperties: value }: SchemaNode): SchemaNode | undefined =>
  typeof value === "object" && value !== null ? value : undefined;

/** A property may have any name, also one that every JavaScript object inherits. */
export const propertyOf = ({ properties }: SchemaNode, name: string): SchemaNode | undefined =>
  properties && memberOf(properties, name);

export interface PlacedNode {
  readonly node: SchemaNode;
  readonly at: Place;
}

/** The schemas of parts of the value: properties, items, and what is not named. */
export function structuralChildren(node: SchemaNode, at: Place): PlacedNode[] {
  const children: PlacedNode[] = [];
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    children.push({ node: child, at: at.field("properties").key(name) });
  }
  const items = itemsOf(node);
  if (items !== undefined) children.push({ node: items, at: at.field("items") });
  const additional = additionalOf(node);
  if (additional !== undefined) children.push({ node: additional, at: at.field("additionalProperties") });
  return children;
}

const LISTS = ["allOf", "anyOf", "oneOf"] as const;

/** The schemas that say more of the same value. */
export function logicalChildren(node: SchemaNode, at: Place): PlacedNode[] {
  const children: PlacedNode[] = [];
  for (const name of LISTS) {
    node[name]?.forEach((child, position) => {
      children.push({ node: child, at: at.field(name).item(position) });
    });
  }
  if (node.not !== undefined && node.not !== null) children.push({ node: node.not, at: at.field("not") });
  return children;
}

export const hasDefault = (node: SchemaNode): boolean => node.default !== undefined && node.default !== null;
