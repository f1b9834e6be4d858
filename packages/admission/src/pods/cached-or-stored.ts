// Reads an object from a cache, and from the store when the cache does not have it, because it may not have received it
// yet.

import type { GroupResource } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { MaybePromise, ObjectReader } from "../contract/dependencies";
import { NAMESPACES } from "./pod-parts";

/** Returns the cached object or the stored one. @param cached result of the cache */
export function cachedOrStored(
  cached: MaybePromise<JsonObject | undefined>,
  objects: Pick<ObjectReader, "inStore">,
  resource: GroupResource,
  name: string,
): MaybePromise<JsonObject | undefined> {
  if (cached instanceof Promise) return cached.then((found) => found ?? inStore());
  return cached ?? inStore();

  function inStore(): Promise<JsonObject | undefined> {
    return objects.inStore(resource, { namespace: "", name });
  }
}

/** Returns the namespace of a pod from the cache, or from the store when the cache does not have it yet. */
export function namespaceOfPod(objects: ObjectReader, name: string): MaybePromise<JsonObject | undefined> {
  return cachedOrStored(objects.cached(NAMESPACES, { namespace: "", name }), objects, NAMESPACES, name);
}
