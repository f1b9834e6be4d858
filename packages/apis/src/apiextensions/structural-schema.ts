// Structural schemas: one tree gives the type of every part of a value, and the logical keywords only constrain it.
// Source: Kubernetes documentation, "Extend the Kubernetes API with CustomResourceDefinitions", "Specifying a
// structural schema".

import { type Place, Report } from "@orch/apis-model";
import { ERRORS_MAX } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Patterns } from "./patterns";
import {
  extensionAt,
  extensionsOf,
  hasDefault,
  itemsOf,
  logicalChildren,
  propertyOf,
  type SchemaNode,
  structuralChildren,
} from "./schema-node";

type Level = "root" | "field" | "item";

const MISSING_TYPE: Readonly<Record<Level, string>> = {
  root: "must not be empty at the root",
  field: "must not be empty for specified object fields",
  item: "must not be empty for specified array items",
};

/** Reports all violations, sorted by message. */
export function checkStructural(root: SchemaNode, patterns: Patterns, at: Place, report: Report): void {
  const found = new Report(report);
  checkNode(root, "root", at, found);
  checkPatterns(root, patterns, at, found);
  checkCompleteness(root, at, found);
  const told = found.errors
    .slice(0, ERRORS_MAX)
    .map((error) => ({ error, text: `${error.path}: ${error.detail ?? ""}` }));
  told.sort((one, other) => (one.text < other.text ? -1 : one.text > other.text ? 1 : 0));
  report.found(told.map(({ error }) => error));
  report.found(found.errors.slice(ERRORS_MAX));
}

function checkNode(node: SchemaNode, level: Level, at: Place, report: Report): void {
  const items = itemsOf(node);
  const isUnsupportedList = Array.isArray(node.items) && node.items.length > 0;
  if (node.type === "array" && items === undefined && !isUnsupportedList)
    report.required(at.field("items"), "must be specified");
  checkOwnType(node, level, at, report);
  checkExtensions(node, at, report);
  if (level === "root" && node.additionalProperties !== undefined && node.additionalProperties !== null) {
    report.forbidden(at.field("additionalProperties"), "must not be used at the root");
  }
  const { embeddedResource = false } = extensionsOf(node, report.vocabulary);
  if (level === "root" || embeddedResource) checkMetaFields(node, at, report);
  if (level === "root") checkRootMetadata(node, at, report);
  for (const child of structuralChildren(node, at)) {
    checkNode(child.node, child.node === items ? "item" : "field", child.at, report);
  }
  const exempt = exemptNodes(node, report);
  for (const child of logicalChildren(node, at)) checkNested(child.node, exempt, child.at, report);
}

function checkOwnType(node: SchemaNode, level: Level, at: Place, report: Report): void {
  const { embeddedResource, intOrString, preserveUnknownFields } = extensionsOf(node, report.vocabulary);
  const { type = "" } = node;
  const place = at.field("type");
  const names = report.vocabulary.schemaExtensions;
  if (embeddedResource === true && type !== "object") {
    const detail = `must be object if ${names.embeddedResource} is true`;
    if (type === "") report.required(place, detail);
    else report.invalid(place, type, detail);
  } else if (type === "" && intOrString !== true && preserveUnknownFields === undefined) {
    report.required(place, MISSING_TYPE[level]);
  }
  if (level === "root" && type !== "" && type !== "object") report.invalid(place, type, "must be object at the root");
  if (embeddedResource !== true) return;
  if (node.additionalProperties !== undefined && node.additionalProperties !== null) {
    report.forbidden(at.field("additionalProperties"), `must not be used if ${names.embeddedResource} is set`);
  }
  if (preserveUnknownFields !== true && Object.keys(node.properties ?? {}).length === 0) {
    const detail = `must not be empty if ${names.embeddedResource} is true without ${names.preserveUnknownFields}`;
    report.required(at.field("properties"), detail);
  }
}

function checkExtensions(node: SchemaNode, at: Place, report: Report): void {
  const { vocabulary } = report;
  const { embeddedResource, intOrString, preserveUnknownFields } = extensionsOf(node, vocabulary);
  if (intOrString !== true) return;
  const detail = `must be false if ${vocabulary.schemaExtensions.intOrString} is true`;
  if (preserveUnknownFields === true)
    report.invalid(extensionAt(at, "preserveUnknownFields", vocabulary), true, detail);
  if (embeddedResource === true) report.invalid(extensionAt(at, "embeddedResource", vocabulary), true, detail);
}

const META_TYPES = { kind: "string", apiVersion: "string", metadata: "object" } as const;

function checkMetaFields(node: SchemaNode, at: Place, report: Report): void {
  for (const [name, type] of Object.entries(META_TYPES)) {
    const property = propertyOf(node, name);
    if (property === undefined || property.type === type) continue;
    report.invalid(at.field("properties").key(name).field("type"), property.type ?? "", `must be ${type}`);
  }
}

/** Allows constraints only of metadata.name and metadata.generateName, because the server defines metadata. */
function checkRootMetadata(node: SchemaNode, at: Place, report: Report): void {
  const metadata = propertyOf(node, "metadata");
  if (metadata === undefined) return;
  const { type: _, default: __, properties = {}, ...more } = metadata;
  const others = Object.keys(properties).filter((name) => name !== "name" && name !== "generateName");
  if (others.length === 0 && Object.keys(more).length === 0) return;
  const detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
  report.forbidden(at.field("properties").key("metadata"), detail);
}

function checkPatterns(node: SchemaNode, patterns: Patterns, at: Place, report: Report): void {
  const { pattern = "" } = node;
  const problem = pattern === "" ? undefined : patterns.problem(pattern);
  if (problem !== undefined) {
    report.invalid(at.field("pattern"), pattern, `must be a valid regular expression, but isn't: ${problem}`);
  }
  for (const child of structuralChildren(node, at)) checkPatterns(child.node, patterns, child.at, report);
  for (const child of logicalChildren(node, at)) checkPatterns(child.node, patterns, child.at, report);
}

/**
 * Returns the nodes that repeat the types of an int-or-string value for other readers of the schema. They are exempt.
 */
function exemptNodes(node: SchemaNode, report: Report): ReadonlySet<SchemaNode> {
  const { intOrString } = extensionsOf(node, report.vocabulary);
  if (intOrString !== true) return new Set();
  if (saysIntOrString(node.anyOf)) return new Set(node.anyOf);
  const [first] = node.allOf ?? [];
  return first !== undefined && saysIntOrString(first.anyOf) ? new Set(first.anyOf) : new Set();
}

const saysIntOrString = (nodes: readonly SchemaNode[] | undefined): boolean =>
  nodes?.length === 2 &&
  nodes.every((each) => Object.keys(each).length === 1) &&
  nodes[0]?.type === "integer" &&
  nodes[1]?.type === "string";

const EMPTY = "must be empty to be structural";
const UNDEFINED = "must be undefined to be structural";
const FALSE = "must be false to be structural";

/** Rejects keywords other than value validations inside logical keywords. */
function checkNested(node: SchemaNode, exempt: ReadonlySet<SchemaNode>, at: Place, report: Report): void {
  const { vocabulary } = report;
  const { preserveUnknownFields, embeddedResource, intOrString, listMapKeys, listType, mapType } = extensionsOf(
    node,
    vocabulary,
  );
  const forbid = (said: boolean, name: string, detail: string) => {
    if (said) report.forbidden(at.field(name), detail);
  };
  const names = vocabulary.schemaExtensions;
  forbid((node.type ?? "") !== "" && !exempt.has(node), "type", EMPTY);
  forbid(node.additionalProperties != null, "additionalProperties", UNDEFINED);
  forbid(hasDefault(node), "default", UNDEFINED);
  forbid((node.title ?? "") !== "", "title", EMPTY);
  forbid((node.description ?? "") !== "", "description", EMPTY);
  forbid(node.nullable === true, "nullable", FALSE);
  forbid(preserveUnknownFields === true, names.preserveUnknownFields, FALSE);
  forbid(embeddedResource === true, names.embeddedResource, FALSE);
  forbid(intOrString === true, names.intOrString, FALSE);
  forbid((listMapKeys ?? []).length > 0, names.listMapKeys, EMPTY);
  forbid(listType !== undefined, names.listType, UNDEFINED);
  forbid(mapType !== undefined, names.mapType, UNDEFINED);
  const rules = (node as unknown as JsonObject)[names.validations];
  forbid(Array.isArray(rules) && rules.length > 0, names.validations, EMPTY);
  if (propertyOf(node, "metadata") !== undefined) {
    report.forbidden(at.field("properties").key("metadata"), "must not be specified in a nested context");
  }
  for (const child of [...structuralChildren(node, at), ...logicalChildren(node, at)]) {
    checkNested(child.node, exempt, child.at, report);
  }
}

/**
 * Requires that the fields named in logical keywords of the root are in the tree. Kubernetes does not require it of
 * nested nodes, and existing definitions depend on that: a field that is not in the tree is pruned before the keyword
 * is evaluated.
 */
function checkCompleteness(root: SchemaNode, at: Place, report: Report): void {
  for (const child of logicalChildren(root, at)) checkNamed(child.node, child.at, root, at, report);
}

function checkNamed(nested: SchemaNode, nestedAt: Place, node: SchemaNode, at: Place, report: Report): void {
  for (const child of logicalChildren(nested, nestedAt)) checkNamed(child.node, child.at, node, at, report);
  const items = itemsOf(nested);
  if (items !== undefined) {
    const own = itemsOf(node);
    const itemsAt = nestedAt.field("items");
    if (own === undefined) report.required(at.field("items"), `because it is defined in ${itemsAt}`);
    else checkNamed(items, itemsAt, own, at.field("items"), report);
  }
  for (const [name, property] of Object.entries(nested.properties ?? {})) {
    const own = propertyOf(node, name);
    const [place, propertyAt] = [at, nestedAt].map((each) => each.field("properties").key(name)) as [Place, Place];
    if (own === undefined) report.required(place, `because it is defined in ${propertyAt}`);
    else checkNamed(property, propertyAt, own, place, report);
  }
}

/** Returns whether a node names its dialect by `$schema`, which no structural schema can. */
export function namesDialect(node: SchemaNode, at: Place): boolean {
  if ((node.$schema ?? "") !== "") return true;
  return [...structuralChildren(node, at), ...logicalChildren(node, at)].some((each) =>
    namesDialect(each.node, each.at),
  );
}

/** Returns whether a schema uses keywords that have a meaning only in structural schemas. */
export function usesExtensions(node: SchemaNode, at: Place, report: Report): boolean {
  const { mapType: _, ...found } = extensionsOf(node, report.vocabulary);
  return (
    Object.keys(found).length > 0 ||
    [...structuralChildren(node, at), ...logicalChildren(node, at)].some((each) =>
      usesExtensions(each.node, each.at, report),
    )
  );
}
