// Values that a strategic merge patch adds where the live object has none: the patch's values without directives. Items
// are not merged with each other, so that items with equal keys stay separate, such as port 53 for both UDP and TCP.
// Source: `mergeMap` in staging/src/k8s.io/apimachinery/pkg/util/strategicpatch/patch.go.
import { isObject, type JsonArray, type JsonObject, type JsonValue, setMember } from "@orch/schema";
import { isDirective, PATCH, unknownMarker } from "./merge-directives";

/**
 * Returns the patch's object without directives.
 * @throws StatusError, unclassified (500), for an unknown `$patch`
 */
export function newObject(patch: JsonObject): JsonObject {
  const marker = patch[PATCH];
  if (marker === "replace") return withoutMarker(patch);
  if (marker === "delete") return {};
  if (marker !== undefined) throw unknownMarker(marker);
  const result: JsonObject = {};
  for (const name of Object.keys(patch)) {
    const value = patch[name] as JsonValue;
    if (value !== null && !isDirective(name)) setMember(result, name, newValue(value));
  }
  return result;
}

/**
 * Returns the patch's list without directives.
 * @throws like `newObject`
 */
export function newList(patch: JsonArray): JsonArray {
  return patch.filter((item) => !isObject(item) || isPlain(item)).map(newValue);
}

export function withoutMarker(patch: JsonObject): JsonObject {
  const { [PATCH]: _, ...rest } = patch;
  return rest;
}

function newValue(value: JsonValue): JsonValue {
  if (isObject(value)) return newObject(value);
  return Array.isArray(value) ? newList(value) : value;
}

/** Reports whether an item is a value rather than a `$patch: delete` or `$patch: replace` directive. */
function isPlain({ [PATCH]: marker }: JsonObject): boolean {
  if (marker !== undefined && marker !== "delete" && marker !== "replace") throw unknownMarker(marker);
  return marker === undefined;
}
