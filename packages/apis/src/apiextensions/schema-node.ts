// Nodes of a schema and their paths. Extension keywords depend on the vocabulary.

import type { Place } from "@orch/apis-model";
import { type apiextensionsV1beta1, type JsonObject, memberOf, type Vocabulary } from "@orch/schema";

/** Keywords that every vocabulary has. */
export type SchemaNode = apiextensionsV1beta1.JSONSchemaProps;

type Extension = "preserveUnknownFields" | "embeddedResource" | "intOrString" | "listType" | "listMapKeys" | "mapType";

/** Values of the extension keywords. */
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

/** Returns the extensions. Optimized for nodes without any, because every rule reads them. */
export function extensionsOf(node: SchemaNode, { schemaExtensions: names }: Vocabulary): Extensions {
  const object = node as unknown as JsonObject;
  for (const keyword in object) {
    if (keyword.startsWith(EXTENSION_FRONT)) return allExtensionsOf(object, names);
  }
  return NO_EXTENSIONS;
}

const EXTENSION_FRONT = "x-";
const NO_EXTENSIONS: Extensions = {};

function allExtensionsOf(object: JsonObject, names: Vocabulary["schemaExtensions"]): Extensions {
  const found: Record<string, unknown> = {};
  for (const id of EXTENSIONS) {
    const value = object[names[id]];
    if (value !== undefined && value !== null) found[id] = value;
  }
  return found;
}

/** Returns the path of an extension. */
export const extensionAt = (at: Place, id: Extension, { schemaExtensions }: Vocabulary): Place =>
  at.field(schemaExtensions[id]);

/** Returns the schema of all items; undefined for a list of schemas. */
export const itemsOf = ({ items }: SchemaNode): SchemaNode | undefined =>
  items === undefined || items === null || Array.isArray(items) ? undefined : items;

/** Returns the schema of additional properties; undefined for `true` and `false`. */
export const additionalOf = ({ additionalProperties: value }: SchemaNode): SchemaNode | undefined =>
  typeof value === "object" && value !== null ? value : undefined;

/** Returns the schema of a property. Its name may be one that every JavaScript object inherits. */
export const propertyOf = ({ properties }: SchemaNode, name: string): SchemaNode | undefined =>
  properties && memberOf(properties, name);

/** Returns whether a node has no schemas below it, as most have none. */
export function isLeaf(node: SchemaNode): boolean {
  for (const keyword in node) if (LEADS_ON.has(keyword)) return false;
  return true;
}

const LEADS_ON: ReadonlySet<string> = new Set([
  "properties",
  "items",
  "additionalProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
] satisfies (keyof SchemaNode)[]);

export interface PlacedNode {
  readonly node: SchemaNode;
  readonly at: Place;
}

/** Returns the schemas of parts of the value: properties, items and additional properties. */
export function structuralChildren(node: SchemaNode, at: Place): readonly PlacedNode[] {
  if (isLeaf(node)) return NO_NODES;
  const children: PlacedNode[] = [];
  const { properties } = node;
  if (properties !== undefined && properties !== null) {
    const below = at.field("properties");
    for (const name of Object.keys(properties)) {
      children.push({ node: properties[name] as SchemaNode, at: below.key(name) });
    }
  }
  const items = itemsOf(node);
  if (items !== undefined) children.push({ node: items, at: at.field("items") });
  const additional = additionalOf(node);
  if (additional !== undefined) children.push({ node: additional, at: at.field("additionalProperties") });
  return children;
}

const NO_NODES: readonly PlacedNode[] = [];
const LISTS = ["allOf", "anyOf", "oneOf"] as const;

/** Returns the schemas that constrain the same value further. */
export function logicalChildren(node: SchemaNode, at: Place): readonly PlacedNode[] {
  if (isLeaf(node)) return NO_NODES;
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
