// Computes a JSON patch (RFC 6902) that transforms one value into another. Intended for people: short, but not minimal.
import { isObject, type JsonArray, type JsonObject, type JsonValue } from "@orch/schema";
import { sameJson } from "../json/same-json";

/** Maximum number of operations; beyond it the whole value is replaced. */
const OPERATIONS_MAX = 1000;

/** Returns the operations; empty when the values are equal. */
export function jsonDifference(before: JsonValue, after: JsonValue): JsonArray {
  const found: JsonArray = [];
  compare(before, after, "", found);
  return found.length > OPERATIONS_MAX ? [{ op: "replace", path: "", value: after }] : found;
}

function compare(before: JsonValue, after: JsonValue, path: string, found: JsonArray): void {
  if (found.length > OPERATIONS_MAX) return;
  if (isObject(before) && isObject(after)) compareObjects(before, after, path, found);
  else if (Array.isArray(before) && Array.isArray(after) && after.length >= before.length)
    compareLists(before, after, path, found);
  else if (!sameJson(before, after)) found.push({ op: "replace", path, value: after });
}

function compareObjects(before: JsonObject, after: JsonObject, path: string, found: JsonArray): void {
  for (const [name, value] of Object.entries(before)) {
    const at = `${path}/${pointerToken(name)}`;
    if (Object.hasOwn(after, name)) compare(value as JsonValue, after[name] as JsonValue, at, found);
    else found.push({ op: "remove", path: at });
  }
  for (const [name, value] of Object.entries(after)) {
    if (Object.hasOwn(before, name)) continue;
    found.push({ op: "add", path: `${path}/${pointerToken(name)}`, value: value as JsonValue });
  }
}

/** Compares items by index; added items are appended. */
function compareLists(before: JsonArray, after: JsonArray, path: string, found: JsonArray): void {
  for (const [place, item] of after.entries()) {
    if (place < before.length) compare(before[place] as JsonValue, item, `${path}/${place}`, found);
    else found.push({ op: "add", path: `${path}/-`, value: item });
  }
}

const pointerToken = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
