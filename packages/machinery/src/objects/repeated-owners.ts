// An owner that an object names twice in the same words. Source: facts, http.md "Warnings".
import type { JsonArray, JsonObject } from "@orch/schema";
import { canonicalJson } from "./canonical-json";
import { metaOf, writableMeta } from "./object-meta";

/**
 * Keeps the first of references that are the same in every field. References that only share a uid stay.
 * @param object left as it is where nothing is to be dropped
 * @returns the uids of what was dropped, each once
 */
export function dropRepeatedOwners(object: JsonObject): readonly string[] {
  const { ownerReferences = [] } = metaOf(object);
  if (ownerReferences.length < 2) return NONE;
  const kept = new Set<string>();
  const dropped = new Set<string>();
  const rest = (ownerReferences as unknown as JsonObject[]).filter((reference) => {
    const text = canonicalJson(reference);
    if (kept.has(text)) dropped.add(String(reference["uid"] ?? ""));
    const isNew = !kept.has(text);
    kept.add(text);
    return isNew;
  });
  if (dropped.size === 0) return NONE;
  writableMeta(object)["ownerReferences"] = rest as JsonArray;
  return [...dropped];
}

const NONE: readonly string[] = [];
