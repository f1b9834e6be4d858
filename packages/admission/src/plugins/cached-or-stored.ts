// An object that a request names: a cache may not have heard of it yet, and what is missing there is asked of the store.
// Source: facts, admission/plugins.md, "cache then live".
import type { GroupResource } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ObjectReader, Soon } from "../world";

/** @param cached what a cache says of it */
export function cachedOrStored(
  cached: Soon<JsonObject | undefined>,
  objects: Pick<ObjectReader, "inStore">,
  resource: GroupResource,
  name: string,
): Soon<JsonObject | undefined> {
  if (cached instanceof Promise) return cached.then((found) => found ?? inStore());
  return cached ?? inStore();

  function inStore(): Promise<JsonObject | undefined> {
    return objects.inStore(resource, { namespace: "", name });
  }
}
