// Merge strategies of lists and maps: atomic, set, map, granular. Source:
// staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
import type { Place, Report } from "@orch/apis-model";
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

const LIST_TYPES = ["atomic", "set", "map"];
const MAP_TYPES = ["atomic", "granular"];
const COMPOSITES: ReadonlySet<string | undefined> = new Set(["array", "object"]);

export function checkListAndMap(node: SchemaNode, at: Place, report: Report): void {
  const { vocabulary } = report;
  const { mapType, listType, listMapKeys = [] } = extensionsOf(node, vocabulary);
  const names = vocabulary.schemaExtensions;
  if (mapType !== undefined) {
    requireType(node, "object", names.mapType, at, report);
    if (!MAP_TYPES.includes(mapType)) report.notSupported(extensionAt(at, "mapType", vocabulary), mapType, MAP_TYPES);
  }
  if (listType !== undefined) {
    requireType(node, "array", names.listType, at, report);
    if (!LIST_TYPES.includes(listType)) {
      report.notSupported(extensionAt(at, "listType", vocabulary), listType, LIST_TYPES);
    }
  }
  if (listMapKeys.length > 0 && listType !== "map") {
    const place = extensionAt(at, "listType", vocabulary);
    const detail = `must be map if ${names.listMapKeys} is non-empty`;
    if (listType === undefined) report.required(place, detail);
    else report.invalid(place, listType, detail);
  }
  if (listType === "map") checkKeyedList(node, listMapKeys, at, report);
}

function requireType(node: SchemaNode, type: string, keyword: string, at: Place, report: Report): void {
  if (node.type === type) return;
  const detail = `must be ${type} if ${keyword} is specified`;
  if (node.type === undefined || node.type === "") report.required(at.field("type"), detail);
  else report.invalid(at.field("type"), node.type, detail);
}

function checkKeyedList(node: SchemaNode, keys: readonly string[], at: Place, report: Report): void {
  const { listMapKeys, listType } = report.vocabulary.schemaExtensions;
  const keysAt = at.field(listMapKeys);
  if (keys.length === 0) report.required(keysAt, `must not be empty if ${listType} is map`);
  if (new Set(keys).size < keys.length) report.invalid(keysAt, keys, "must not contain duplicate entries");
  const itemsAt = at.field("items");
  const items = itemsOf(node);
  if (node.items === undefined || node.items === null)
    report.required(itemsAt, `must have a schema if ${listType} is map`);
  if (Array.isArray(node.items))
    report.invalid(itemsAt, node.items, `must only have a single schema if ${listType} is map`);
  if (items === undefined) return;
  if (items.type !== "object") {
    report.invalid(itemsAt.field("type"), items.type ?? "", `must be object if parent array's ${listType} is map`);
    return;
  }
  for (const key of new Set(keys)) {
    const property = propertyOf(items, key);
    if (property === undefined) report.invalid(keysAt, keys, "entries must all be names of item properties");
    else if (COMPOSITES.has(property.type)) {
      const place = itemsAt.field("properties").key(key).field("type");
      report.invalid(place, property.type ?? "", `must be a scalar type if parent array's ${listType} is map`);
    }
  }
}

/**
 * Rules that are newer than stored definitions: the fields that identify a list item must be required or have a
 * default, and must not be nullable.
 */
export function checkListItems(node: SchemaNode, at: Place, report: Report): void {
  for (const child of structuralChildren(node, at)) checkListItems(child.node, child.at, report);
  for (const child of logicalChildren(node, at)) checkListItems(child.node, child.at, report);
  const { listType, listMapKeys = [] } = extensionsOf(node, report.vocabulary);
  const items = itemsOf(node);
  if (items === undefined || (listType !== "map" && listType !== "set")) return;
  const itemsAt = at.field("items");
  if (items.nullable === true) {
    const name = report.vocabulary.schemaExtensions.listType;
    report.forbidden(itemsAt.field("nullable"), `cannot be nullable when ${name} is ${listType}`);
  }
  if (listType === "set") checkSetItem(items, itemsAt, report);
  else {
    const required = new Set(items.required);
    for (const key of listMapKeys) checkKeyProperty(items, { key, isRequired: required.has(key) }, itemsAt, report);
  }
}

function checkSetItem(items: SchemaNode, at: Place, report: Report): void {
  const { listType, mapType } = extensionsOf(items, report.vocabulary);
  const names = report.vocabulary.schemaExtensions;
  if (items.type === "array" && listType !== undefined && listType !== "atomic") {
    report.invalid(at.field(names.listType), listType, "must be atomic as item of a list with type set");
  }
  if (items.type === "object" && mapType !== "atomic") {
    report.invalid(at.field(names.mapType), mapType ?? null, "must be atomic as item of a list with type set");
  }
}

function checkKeyProperty(
  items: SchemaNode,
  { key, isRequired }: { readonly key: string; readonly isRequired: boolean },
  at: Place,
  report: Report,
): void {
  const property = propertyOf(items, key);
  if (property === undefined) return;
  const place = at.field("properties").key(key);
  const { listMapKeys } = report.vocabulary.schemaExtensions;
  if (!isRequired && !hasDefault(property)) {
    const detail = `this property is in ${listMapKeys}, so it must have a default or be a required property`;
    report.required(place.field("default"), detail);
  }
  if (property.nullable === true) {
    report.forbidden(place.field("nullable"), `this property is in ${listMapKeys}, so it cannot be nullable`);
  }
}
