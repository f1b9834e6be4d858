// Rules of every schema node. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.

import type { Place, Report } from "@orch/apis-model";
import type { JsonObject } from "@orch/schema";
import { checkListAndMap } from "./list-type-validation";
import {
  additionalOf,
  extensionAt,
  extensionsOf,
  hasDefault,
  isLeaf,
  itemsOf,
  logicalChildren,
  type SchemaNode,
  structuralChildren,
} from "./schema-node";

/** Rules that depend on the position of a node. */
interface Surroundings {
  readonly isRoot: boolean;
  /** Inside the metadata, kind or apiVersion of a resource. */
  readonly inResourceMeta: boolean;
  /** Reason for which a default is not allowed here. */
  readonly noDefault: string | undefined;
}

/** Fields of objects that the server itself reads. */
const META_FIELDS: ReadonlySet<string> = new Set(["metadata", "kind", "apiVersion"]);

const IN_META_MAPS = "must not be set inside additionalProperties applying to object metadata";

const TYPES = ["array", "boolean", "integer", "number", "object", "string"];

/** Checks a schema. @param defaults the reason when the request's version allows no defaults; undefined when it does */
export function checkSchemaNodes(root: SchemaNode, at: Place, report: Report, defaults?: string): void {
  check(root, at, report, { isRoot: true, inResourceMeta: false, noDefault: defaults });
}

function check(node: SchemaNode, at: Place, report: Report, around: Surroundings): void {
  const { vocabulary } = report;
  const { embeddedResource = false, preserveUnknownFields } = extensionsOf(node, vocabulary);
  forbidden(node, at, report);
  if (node.type === "null") {
    report.forbidden(at.field("type"), "type cannot be set to null, use nullable as an alternative");
  }
  if (hasDefault(node) && around.noDefault !== undefined) report.forbidden(at.field("default"), around.noDefault);
  if (embeddedResource && around.inResourceMeta) {
    report.forbidden(extensionAt(at, "embeddedResource", vocabulary), "must not be used inside of resource meta");
  }
  if (preserveUnknownFields === false) {
    report.invalid(extensionAt(at, "preserveUnknownFields", vocabulary), false, "must be true or undefined");
  }
  checkListAndMap(node, at, report);
  if (isLeaf(node)) return;
  const isResource = around.isRoot || embeddedResource;
  const below = around.isRoot ? { ...around, isRoot: false } : around;
  const properties = at.field("properties");
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const inMeta = isResource && META_FIELDS.has(name);
    if (inMeta) {
      const noDefault = around.isRoot ? `must not be set in top-level ${name}` : around.noDefault;
      check(child, properties.key(name), report, { ...below, inResourceMeta: true, noDefault });
    } else check(child, properties.key(name), report, below);
  }
  const items = itemsOf(node);
  if (items !== undefined) check(items, at.field("items"), report, below);
  const additional = additionalOf(node);
  if (additional !== undefined) {
    const noDefault = around.inResourceMeta ? IN_META_MAPS : around.noDefault;
    check(additional, at.field("additionalProperties"), report, { ...below, noDefault });
  }
  for (const child of logicalChildren(node, at)) check(child.node, child.at, report, below);
}

const UNSUPPORTED: ReadonlySet<string> = new Set([
  "id",
  "additionalItems",
  "patternProperties",
  "definitions",
  "dependencies",
  "$ref",
] satisfies (keyof SchemaNode)[]);

function forbidden(node: SchemaNode, at: Place, report: Report): void {
  const object = node as unknown as JsonObject;
  for (const name in object) {
    if (!UNSUPPORTED.has(name) || object[name] === undefined || object[name] === null) continue;
    report.forbidden(at.field(name), `${name} is not supported`);
  }
  if (isLeaf(node) && node.uniqueItems !== true) return;
  if (Array.isArray(node.items) && node.items.length > 0) {
    report.forbidden(at.field("items"), "items must be a schema object and not an array");
  }
  if (node.uniqueItems === true) {
    report.forbidden(
      at.field("uniqueItems"),
      "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
    );
  }
  const { additionalProperties: rest, properties = {} } = node;
  if (rest !== undefined && rest !== null && rest !== true && Object.keys(properties).length > 0) {
    report.forbidden(at.field("additionalProperties"), "additionalProperties and properties are mutual exclusive");
  }
}

/** Requires one of the six JSON types. */
export function checkTypes(node: SchemaNode, at: Place, report: Report): void {
  const { type = "" } = node;
  if (type !== "" && !TYPES.includes(type)) report.notSupported(at.field("type"), type, TYPES);
  for (const child of structuralChildren(node, at)) checkTypes(child.node, child.at, report);
  for (const child of logicalChildren(node, at)) checkTypes(child.node, child.at, report);
}

/** Returns whether a node has a default. */
export function usesDefaults(node: SchemaNode, at: Place): boolean {
  return (
    hasDefault(node) ||
    [...structuralChildren(node, at), ...logicalChildren(node, at)].some((child) => usesDefaults(child.node, child.at))
  );
}
