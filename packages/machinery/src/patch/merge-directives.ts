// The members of a strategic merge patch that say how to merge instead of what. Source: facts, strategic-merge.md "Directives".
import type { JsonArray, JsonObject, JsonValue } from "@orch/schema";
import { BAD_REQUEST_TEXT, badRequest } from "../errors/request-errors";
import { unclassified } from "../errors/server-errors";
import type { StatusError } from "../errors/status-error";
import { jsonText } from "../objects/json-text";

export const PATCH = "$patch";
const RETAIN_KEYS = "$retainKeys";
export const DELETE_FROM_LIST = "$deleteFromPrimitiveList/";
const SET_ELEMENT_ORDER = "$setElementOrder/";

export interface Directives {
  /** The only members that the live object keeps. */
  readonly retainKeys: JsonArray | undefined;
  /** By the field's name: values to take out of its list. */
  readonly deletions: ReadonlyMap<string, JsonArray>;
  /** By the field's name: the wanted order of its list; objects that hold just the merge key, or values. */
  readonly orders: ReadonlyMap<string, JsonArray>;
}

const NONE: Directives = { retainKeys: undefined, deletions: new Map(), orders: new Map() };

/** @throws StatusError BadRequest (400) for one that is not a list */
export function readDirectives(patch: JsonObject): Directives {
  let found = false;
  for (const name in patch) found ||= isDirective(name);
  if (!found) return NONE;
  const keys = patch[RETAIN_KEYS];
  return {
    retainKeys: keys === undefined ? undefined : listOf(keys, BAD_REQUEST_TEXT.strategicMergeRetainKeys),
    deletions: listsByField(patch, DELETE_FROM_LIST, BAD_REQUEST_TEXT.strategicMergePrimitiveList),
    orders: listsByField(patch, SET_ELEMENT_ORDER, BAD_REQUEST_TEXT.strategicMergeSetElementOrder),
  };
}

export const isDirective = (name: string): boolean =>
  name.startsWith("$") &&
  (name === PATCH || name === RETAIN_KEYS || name.startsWith(DELETE_FROM_LIST) || name.startsWith(SET_ELEMENT_ORDER));

/** A `$patch` that is none. */
export const unknownMarker = (marker: JsonValue | undefined): StatusError =>
  unclassified(`Unknown patch type found: ${jsonText(marker)}`);

function listsByField(patch: JsonObject, prefix: string, text: () => string): Map<string, JsonArray> {
  const lists = new Map<string, JsonArray>();
  for (const name of Object.keys(patch)) {
    if (name.startsWith(prefix)) lists.set(name.slice(prefix.length), listOf(patch[name], text));
  }
  return lists;
}

function listOf(value: JsonValue | undefined, text: () => string): JsonArray {
  if (!Array.isArray(value)) throw badRequest(text());
  return value;
}
