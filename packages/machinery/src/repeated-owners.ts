// An owner that an object names twice in the same words. Source: facts, http.md "Warnings".
import type { JsonArray, JsonObject } from "@orch/schema";
import { metaOf, writableMeta } from "./object-meta";
import { sameJson } from "./same-json";

/**
 * Keeps the first of references that are the same in every field. References that only share a uid stay.
 * @param object left as it is where nothing is to be dropped
 * @returns the uids of what was dropped, each once
 */
export function dropRepeatedOwners(object: JsonObject): readonly string[] {
  const { ownerReferences = [] } = metaOf(object);
  if (ownerReferences.length < 2) return NONE;
  const kept = new Map<string, JsonObject[]>();
  const dropped = new Set<string>();
  const rest = (ownerReferences as unknown as JsonObject[]).filter((reference) => {
    const uid = String(reference["uid"] ?? "");
    const known = kept.get(uid);
    if (known?.some((each) => sameJson(each, reference)) === true) {
      dropped.add(uid);
      return false;
    }
    if (known === undefined) kept.set(uid, [reference]);
    else known.push(reference);
    return true;
  });
  if (dropped.size === 0) return NONE;
  writableMeta(object)["ownerReferences"] = rest as JsonArray;
  return [...dropped];
}

const NONE: readonly string[] = [];
