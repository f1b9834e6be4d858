// One object.

import { notFound, type ReadSemantics, type ServerOperation } from "@orch/machinery";
import { awaitFreshness } from "./freshness";
import { objectPath, orderKey } from "./key-layout";
import type { ObjectKey, ReadOptions } from "./registry";
import type { ResourceContext } from "./resource-context";
import { readFailure } from "./store-failures";
import type { StoredEntry } from "./stored-entry";

/** @throws StatusError NotFound (404); UnreadableObject (500); Timeout (504) for a version that does not exist yet; Expired (410) for one that is gone */
export async function get(
  context: ResourceContext,
  key: ObjectKey,
  read: ReadSemantics,
  options: ReadOptions = {},
): Promise<StoredEntry> {
  const path = objectPath(key.namespace, key.name);
  const source = await awaitFreshness(context, "get", read, options.signal);
  const entry =
    source === "cache"
      ? await fromCache(context, path, read, options)
      : await readStored(context, "get", path, 0, options);
  if (entry === undefined) throw notFound(context.resource, key.name);
  return entry;
}

async function fromCache(
  context: ResourceContext,
  path: string,
  read: ReadSemantics,
  options: ReadOptions,
): Promise<StoredEntry | undefined> {
  const { cache } = context;
  if (read.kind !== "exact") {
    const unreadable = cache.unreadable.get(path);
    if (unreadable !== undefined) throw unreadable.object;
    return cache.peek(path);
  }
  // What is in no state may be so because it cannot be read: the store knows.
  const entry = cache.treeAt(read.resourceVersion)?.get(orderKey(path));
  return entry ?? readStored(context, "get", path, read.resourceVersion, options);
}

/**
 * What the store holds, by a linearizable read.
 * @param revision 0: now
 * @throws UnreadableObject (500)
 */
export async function readStored(
  context: ResourceContext,
  operation: ServerOperation,
  path: string,
  revision = 0,
  options: ReadOptions = {},
): Promise<StoredEntry | undefined> {
  try {
    const { items } = await context.store.range({ start: context.keys.start + path, limit: 1, revision }, options);
    context.observer.storeRead?.(context.definition.plural, items.length);
    const item = items[0];
    return item === undefined
      ? undefined
      : context.cache.toEntry({ path, modRevision: item.modRevision, value: item.value });
  } catch (error) {
    throw readFailure(context.resource, operation, error, revision);
  }
}
