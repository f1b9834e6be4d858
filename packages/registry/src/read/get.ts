// The get verb.

import { type GetSemantics, notFound, type ServerOperation } from "@orch/machinery";
import type { ResourceContext } from "../context/resource-context";
import type { ObjectKey, ReadOptions } from "../contract/operations";
import { readFailure } from "../contract/store-failures";
import { objectPath } from "../objects/key-layout";
import type { StoredEntry } from "../objects/stored-entry";
import { storedItem } from "../objects/stored-item";
import { awaitFreshness } from "./freshness";

/** @throws StatusError NotFound (404); UnreadableObject (500); Timeout (504) for a version that does not exist yet */
export async function get(
  context: ResourceContext,
  key: ObjectKey,
  read: GetSemantics,
  options: ReadOptions = {},
): Promise<StoredEntry> {
  const path = objectPath(key.namespace, key.name);
  const source = await awaitFreshness(context, "get", read, options.signal);
  const entry = source === "cache" ? fromCache(context, path) : await readStored(context, "get", path, options);
  if (entry === undefined) throw notFound(context.resource, key.name);
  return entry;
}

function fromCache({ cache }: ResourceContext, path: string): StoredEntry | undefined {
  const unreadable = cache.unreadable.get(path);
  if (unreadable !== undefined) throw unreadable.object;
  return cache.peek(path);
}

/**
 * Reads the object from the store with a linearizable read.
 * @throws UnreadableObject (500)
 */
export async function readStored(
  context: ResourceContext,
  operation: ServerOperation,
  path: string,
  options: ReadOptions = {},
): Promise<StoredEntry | undefined> {
  try {
    const { items } = await context.store.range({ start: context.keys.start + path, limit: 1 }, options);
    context.observer.storeRead?.(context.definition.plural, items.length);
    const item = items[0];
    return item === undefined ? undefined : context.cache.toEntry(storedItem(path, item));
  } catch (error) {
    throw readFailure(context.resource, operation, error);
  }
}
