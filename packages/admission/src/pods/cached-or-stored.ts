// Reads an object from a cache, and from the store when the cache does not have it, because it may not have received it
// yet.

import type { GroupResource } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { MaybePromise, ObjectPlace, ObjectReader } from "../contract/dependencies";
import { NAMESPACES } from "./pod-parts";

/** Returns the cached object or the stored one. @param cached result of the cache */
export function cachedOrStored(
  cached: MaybePromise<JsonObject | undefined>,
  objects: Pick<ObjectReader, "inStore">,
  resource: GroupResource,
  at: ObjectPlace,
): MaybePromise<JsonObject | undefined> {
  if (cached instanceof Promise) return cached.then((found) => found ?? inStore());
  return cached ?? inStore();

  function inStore(): Promise<JsonObject | undefined> {
    return objects.inStore(resource, at);
  }
}

/** Returns the namespace of a pod from the cache, or from the store when the cache does not have it yet. */
export function namespaceOfPod(objects: ObjectReader, name: string): MaybePromise<JsonObject | undefined> {
  const at = { namespace: "", name };
  return cachedOrStored(objects.cached(NAMESPACES, at), objects, NAMESPACES, at);
}
