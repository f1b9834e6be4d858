// Directives of a strategic merge patch: members that control merging. Source:
// contributors/devel/sig-api-machinery/strategic-merge-patch.md in kubernetes/community.
import type { JsonArray, JsonObject, JsonValue } from "@orch/schema";
import { BAD_REQUEST_TEXT, badRequest } from "../errors/request-errors";
import { unclassified } from "../errors/server-errors";
import type { StatusError } from "../errors/status-error";
import { jsonText } from "../json/json-text";

export const PATCH = "$patch";
const RETAIN_KEYS = "$retainKeys";
export const DELETE_FROM_LIST = "$deleteFromPrimitiveList/";
const SET_ELEMENT_ORDER = "$setElementOrder/";

export interface Directives {
  /** The only members of the live object that are kept. */
  readonly retainKeys: JsonArray | undefined;
  /** Values to remove from lists, by the list's field name. */
  readonly deletions: ReadonlyMap<string, JsonArray>;
  /** Wanted order of lists, by the list's field name: objects that contain only the merge key, or scalars. */
  readonly orders: ReadonlyMap<string, JsonArray>;
}

const NONE: Directives = { retainKeys: undefined, deletions: new Map(), orders: new Map() };

/**
 * Reads the directives of a patch.
 * @throws StatusError BadRequest (400) for a directive that is not a list
 */
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

/** Error for an unknown `$patch` value. */
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
