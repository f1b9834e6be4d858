// Namespace of a pod, read for its annotations.
import type { JsonObject } from "@orch/schema";
import { cachedOrStored } from "../plugins/cached-or-stored";
import type { ObjectReader, Soon } from "../world";
import { NAMESPACES } from "./pod-parts";

/** Returns the namespace from the cache, or from the store when the cache does not have it yet. */
export function namespaceOfPod(objects: ObjectReader, name: string): Soon<JsonObject | undefined> {
  return cachedOrStored(objects.cached(NAMESPACES, { namespace: "", name }), objects, NAMESPACES, name);
}
