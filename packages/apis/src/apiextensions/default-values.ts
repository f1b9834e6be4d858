// Defaults are values of the schema that they stand in. Source: facts, validation/apiextensions.md "default values".
import type { JsonValue } from "@orch/schema";
import { isObject } from "../field-path";
import { sameValue } from "../same-value";
import type { Place } from "../validation/place";
import type { Report } from "../validation/report";
import { additionalOf, extensionsOf, hasDefault, itemsOf, type SchemaNode, structuralChildren } from "./schema-node";

export function checkDefaultValues(node: SchemaNode, at: Place, report: Report): void {
  if (hasDefault(node)) {
    const place = at.field("default");
    if (hasUnknownFields(node.default as JsonValue, node, report)) {
      report.invalid(place, node.default, "must not have unknown fields");
    }
    const breach = breachOf(node.default as JsonValue, node, report);
    if (breach !== undefined) report.invalid(place, node.default, breach);
  }
  for (const child of structuralChildren(node, at)) checkDefaultValues(child.node, child.at, report);
}

/** Whether storing the value would drop a part of it. */
function hasUnknownFields(value: JsonValue, node: SchemaNode, report: Report): boolean {
  if (Array.isArray(value)) {
    const items = itemsOf(node);
    return items !== undefined && value.some((each) => hasUnknownFields(each, items, report));
  }
  if (!isObject(value)) return false;
  const { preserveUnknownFields, embeddedResource } = extensionsOf(node, report.vocabulary);
  return Object.entries(value).some(([name, each]) => {
    const known = node.properties?.[name] ?? additionalOf(node);
    if (known !== undefined) return hasUnknownFields(each, known, report);
    if (embeddedResource === true && RESOURCE_FIELDS.has(name)) return false;
    return preserveUnknownFields !== true && node.additionalProperties !== true;
  });
}

const RESOURCE_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** The first rule of a schema that a value breaks. */
function breachOf(value: JsonValue, node: SchemaNode, report: Report): string | undefined {
  const { intOrString } = extensionsOf(node, report.vocabulary);
  if (value === null) return node.nullable === true ? undefined : "must not be null";
  const { type = "" } = node;
  if (intOrString === true && !isOfType(value, "integer") && !isOfType(value, "string"))
    return "must be an integer or a string";
  if (type !== "" && !isOfType(value, type)) return `must be of type ${type}`;
  if (node.enum !== undefined && !node.enum.some((each) => sameValue(each as JsonValue, value))) {
    return `must be one of ${JSON.stringify(node.enum)}`;
  }
  if (typeof value === "number") return numberBreach(value, node);
  if (typeof value === "string") return textBreach(value, node);
  if (Array.isArray(value)) return listBreach(value, node, report);
  return isObject(value) ? objectBreach(value, node, report) : undefined;
}

function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function numberBreach(value: number, node: SchemaNode): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    return `must not be below ${minimum}`;
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    return `must not be above ${maximum}`;
  return multipleOf !== undefined && !Number.isInteger(value / multipleOf)
    ? `must be a multiple of ${multipleOf}`
    : undefined;
}

function textBreach(
  value: string,
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern = "" }: SchemaNode,
): string | undefined {
  const characters = [...value].length;
  if (characters < minLength) return `must have at least ${minLength} characters`;
  if (characters > maxLength) return `must have at most ${maxLength} characters`;
  return pattern !== "" && !matches(value, pattern) ? `must match ${pattern}` : undefined;
}

/** Patterns that do not compile are reported where they stand. */
function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern).test(value);
  } catch {
    return true;
  }
}

function listBreach(value: readonly JsonValue[], node: SchemaNode, report: Report): string | undefined {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node;
  if (value.length < minItems) return `must have at least ${minItems} items`;
  if (value.length > maxItems) return `must have at most ${maxItems} items`;
  const items = itemsOf(node);
  if (items === undefined) return undefined;
  return value.map((each) => breachOf(each, items, report)).find((each) => each !== undefined);
}

function objectBreach(
  value: { readonly [name: string]: JsonValue },
  node: SchemaNode,
  report: Report,
): string | undefined {
  const missing = node.required?.find(
    (name) => value[name] === undefined && !hasDefault(node.properties?.[name] ?? {}),
  );
  if (missing !== undefined) return `must have ${missing}`;
  for (const [name, each] of Object.entries(value)) {
    const known = node.properties?.[name] ?? additionalOf(node);
    const breach = known === undefined ? undefined : breachOf(each, known, report);
    if (breach !== undefined) return `${name} ${breach}`;
  }
  return undefined;
}
