// Accessors for one node of a custom resource's schema, in the form of its definition. Extension keywords carry the
// prefix of the vocabulary.
import { isObject, type JsonArray, type JsonObject, type JsonValue, memberOf, type Vocabulary } from "@orch/schema";

export type Markers = Vocabulary["schemaExtensions"];

export const textOf = (node: JsonObject, keyword: string): string | undefined => {
  const value = node[keyword];
  return typeof value === "string" && value !== "" ? value : undefined;
};

export const numberOf = (node: JsonObject, keyword: string): number | undefined => {
  const value = node[keyword];
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : undefined;
};

export const saysTrue = (node: JsonObject, keyword: string): boolean => node[keyword] === true;

/** Returns the strings of a list. */
export const namesOf = (node: JsonObject, keyword: string): readonly string[] => {
  const value = node[keyword];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
};

const NONE: readonly never[] = [];

/** Yields the declared properties. */
export function* propertiesOf(node: JsonObject): Generator<readonly [name: string, node: JsonObject]> {
  const properties = node["properties"];
  if (!isObject(properties)) return;
  for (const name of Object.keys(properties)) {
    const child = properties[name];
    if (isObject(child)) yield [name, child];
  }
}

/** Returns a declared property, also for names that every JavaScript object inherits. */
export function propertyOf(node: JsonObject, name: string): JsonObject | undefined {
  const { properties } = node;
  const child = isObject(properties) ? memberOf<JsonValue>(properties, name) : undefined;
  return isObject(child) ? child : undefined;
}

export const hasProperties = (node: JsonObject): boolean => {
  const { properties } = node;
  return isObject(properties) && Object.keys(properties).length > 0;
};

/** Returns the single schema of all items. A list of schemas is ignored. */
export const itemsOf = ({ items }: JsonObject): JsonObject | undefined => (isObject(items) ? items : undefined);

/** Returns the schema of additional properties. Boolean values are ignored. */
export const additionalOf = ({ additionalProperties: rest }: JsonObject): JsonObject | undefined =>
  isObject(rest) ? rest : undefined;

export const listOf = (node: JsonObject, keyword: "allOf" | "anyOf" | "oneOf"): readonly JsonObject[] => {
  const value = node[keyword];
  return Array.isArray(value) && value.length > 0 ? value.filter(isObject) : NONE;
};

export const enumOf = ({ enum: values }: JsonObject): JsonArray | undefined =>
  Array.isArray(values) && values.length > 0 ? values : undefined;

export const hasDefault = (node: JsonObject): boolean => node["default"] !== undefined && node["default"] !== null;

/** Yields the schemas of the parts of a node's value. */
export function* partsOf(node: JsonObject): Generator<JsonObject> {
  for (const [, child] of propertiesOf(node)) yield child;
  const items = itemsOf(node);
  if (items !== undefined) yield items;
  const additional = additionalOf(node);
  if (additional !== undefined) yield additional;
}
