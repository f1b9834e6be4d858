// Removes duplicate owner references. Source: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/rest.go.
import type { JsonArray, JsonObject } from "@orch/schema";
import { canonicalJson } from "../json/same-json";
import { metaOf, writableMeta } from "./object-meta";

/**
 * Removes owner references that equal an earlier one in every field. References that share only a uid stay.
 * @param object modified only when a reference is removed
 * @returns the uids of the removed references, without duplicates
 */
export function dropDuplicateOwnerReferences(object: JsonObject): readonly string[] {
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
