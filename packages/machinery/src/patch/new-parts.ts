// What a strategic merge patch adds where the live object has nothing yet: as the patch has it, without what only says how to merge.
// There is nothing to merge it with, so that items stay apart even when their keys are the same, such as the two ports 53 of a name server.
// Source: facts, strategic-merge.md "mergeMap".
import { isObject, type JsonArray, type JsonObject, type JsonValue, setMember } from "@orch/schema";
import { isDirective, PATCH, unknownMarker } from "./merge-directives";

/** @throws StatusError, unclassified (500), for an unknown `$patch` */
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

/** @throws as `newObject` */
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

/** An item that is to be deleted, or that says that the others are all there is, is none. */
function isPlain({ [PATCH]: marker }: JsonObject): boolean {
  if (marker !== undefined && marker !== "delete" && marker !== "replace") throw unknownMarker(marker);
  return marker === undefined;
}
