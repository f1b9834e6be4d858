// Computes a JSON patch (RFC 6902) that transforms one value into another. Intended for people: short, but not minimal.
import { isObject, type JsonArray, type JsonObject, type JsonValue } from "@orch/schema";
import { sameJson } from "../json/same-json";

/** Maximum number of operations; beyond it the whole value is replaced. */
const OPERATIONS_MAX = 1000;
/**
 * Maximum length of all paths together, beyond which the whole value is replaced too: each operation repeats the names
 * above its place, and a name may be as long as the value.
 */
const PATHS_MAX = 256 * 1024;

/** Returns the operations; empty when the values are equal. */
export function jsonDifference(before: JsonValue, after: JsonValue): JsonArray {
  const found = new Operations();
  compare(before, after, "", found);
  return found.isFull ? [{ op: "replace", path: "", value: after }] : found.list;
}

class Operations {
  readonly list: JsonArray = [];
  private characters = 0;

  get isFull(): boolean {
    return this.list.length > OPERATIONS_MAX || this.characters > PATHS_MAX;
  }

  add(op: "add" | "replace" | "remove", path: string, value?: JsonValue): void {
    this.characters += path.length;
    if (!this.isFull) this.list.push(value === undefined ? { op, path } : { op, path, value });
  }
}

function compare(before: JsonValue, after: JsonValue, path: string, found: Operations): void {
  if (found.isFull) return;
  if (isObject(before) && isObject(after)) compareObjects(before, after, path, found);
  else if (Array.isArray(before) && Array.isArray(after) && after.length >= before.length)
    compareLists(before, after, path, found);
  else if (!sameJson(before, after)) found.add("replace", path, after);
}

function compareObjects(before: JsonObject, after: JsonObject, path: string, found: Operations): void {
  for (const [name, value] of Object.entries(before)) {
    const at = `${path}/${pointerToken(name)}`;
    if (Object.hasOwn(after, name)) compare(value as JsonValue, after[name] as JsonValue, at, found);
    else found.add("remove", at);
  }
  for (const [name, value] of Object.entries(after)) {
    if (Object.hasOwn(before, name)) continue;
    found.add("add", `${path}/${pointerToken(name)}`, value as JsonValue);
  }
}

/** Compares items by index; added items are appended. */
function compareLists(before: JsonArray, after: JsonArray, path: string, found: Operations): void {
  for (const [place, item] of after.entries()) {
    if (place < before.length) compare(before[place] as JsonValue, item, `${path}/${place}`, found);
    else found.add("add", `${path}/-`, item);
  }
}

const pointerToken = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
