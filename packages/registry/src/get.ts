// One object.

import { notFound, type ReadSemantics, type ServerOperation } from "@orch/machinery";
import { awaitFreshness } from "./freshness";
import { objectPath, orderKey } from "./key-layout";
import type { ObjectKey, ReadOptions } from "./registry";
import type { ResourceContext } from "./resource-context";
import { readFailure } from "./store-failures";
import type { StoredEntry } from "./stored-entry";

/** @throws StatusError NotFound (404); Timeout (504) for a version that does not exist yet; Expired (410) for one that is gone */
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
  if (read.kind !== "exact") return context.cache.peek(path);
  const tree = context.cache.treeAt(read.resourceVersion);
  return tree === undefined
    ? readStored(context, "get", path, read.resourceVersion, options)
    : tree.get(orderKey(path));
}

/**
 * What the store holds, by a linearizable read.
 * @param revision 0: now
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
