// The namespace in which a pod is to be, for what its annotations say of pods.
import type { JsonObject } from "@orch/schema";
import { cachedOrStored } from "../plugins/cached-or-stored";
import type { ObjectReader, Soon } from "../world";
import { NAMESPACES } from "./pod-parts";

/** By the cache; one that it does not know yet by the store. */
export function namespaceOfPod(objects: ObjectReader, name: string): Soon<JsonObject | undefined> {
  return cachedOrStored(objects.cached(NAMESPACES, { namespace: "", name }), objects, NAMESPACES, name);
}
