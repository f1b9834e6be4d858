import { writeJson } from "./exact-json";
import type { JsonObject } from "./json-value";

const FIRST = ["kind", "apiVersion", "metadata"] as const;

/**
 * Returns the JSON text of an object, with kind, apiVersion and metadata first, where readers of stored bytes expect
 * them. A canonical object (see decode.ts) has this order already; others are reordered.
 */
export function encodeJson(object: JsonObject): string {
  let place = 0;
  for (const key in object) {
    if (key !== FIRST[place]) return writeJson(inOrder(object));
    if (++place === FIRST.length) break;
  }
  return writeJson(object);
}

function inOrder(object: JsonObject): JsonObject {
  const ordered: JsonObject = {};
  for (const key of FIRST) {
    const value = object[key];
    if (value !== undefined) ordered[key] = value;
  }
  return { ...ordered, ...object };
}
