// Counts the objects of a resource with the cheapest request: one name, and the number of the others.
import { collectionPath, type Resource } from "../discovery/resource";
import { json } from "../requests/api";
import type { ObjectList } from "../values/api-object";

export async function countObjects(resource: Resource, namespace?: string, signal?: AbortSignal): Promise<number> {
  const { items, metadata } = await json<ObjectList>(collectionPath(resource, namespace), {
    query: { limit: 1, count: true, fields: ".metadata.name" },
    ...(signal === undefined ? {} : { signal }),
  });
  return (items ?? []).length + (metadata.remainingItemCount ?? 0);
}
