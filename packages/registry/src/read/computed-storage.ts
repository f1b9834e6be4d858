// Storage of objects that are not stored: they are computed for each request and read like all others.

import { badRequest, methodNotAllowed, type ResourceDefinition, type StatusError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceStorage } from "../contract/resource-storage";
import { objectPath } from "../objects/key-layout";
import { encodeStored, resourceForm } from "../objects/resource-form";
import { predicateOf } from "../objects/selection";
import { StoredEntry } from "../objects/stored-entry";

/**
 * @param find returns all present objects, in the storage version, in list order
 * @param missing returns the error for an object that does not exist
 */
export function computedStorage(
  definition: ResourceDefinition,
  find: () => Promise<readonly JsonObject[]>,
  missing: (name: string) => StatusError,
): ResourceStorage {
  const form = resourceForm(definition);
  const entries = async () => (await find()).map((object) => entryOf(object));
  function entryOf(object: JsonObject): StoredEntry {
    const { namespace = "", name = "" } = object["metadata"] as { readonly namespace?: string; readonly name?: string };
    return new StoredEntry(form, objectPath(namespace, name), 0, encodeStored(form, object));
  }
  const refuse = (verb: string) => async () => {
    throw methodNotAllowed({ group: definition.group, resource: definition.plural }, verb);
  };
  return {
    definition,
    computed: true,
    async get({ namespace, name }) {
      const path = objectPath(namespace, name);
      const found = (await entries()).find((entry) => entry.path === path);
      if (found === undefined) throw missing(name);
      return found;
    },
    async list({ namespace, selection, order, count }) {
      if (order !== undefined) throw badRequest(`sortBy: is not supported for ${definition.plural}; remove it`);
      const taken = predicateOf(namespace, selection);
      const all = await entries();
      return {
        resourceVersion: 0,
        entries: taken === undefined ? all : all.filter(taken),
        continueToken: "",
        remainingItemCount: count ? 0 : undefined,
      };
    },
    peek: () => undefined,
    isLarge: () => false,
    entryOf: (path, version, stored) => new StoredEntry(form, path, version, stored),
    unreadable: () => ({ count: 0, paths: [] }),
    watch: refuse("watch"),
    create: refuse("create"),
    seed: refuse("create"),
    update: refuse("update"),
    patch: refuse("patch"),
    delete: refuse("delete"),
    changeInPlace: refuse("update"),
    admitAction: refuse("create"),
    repairAllocations: refuse("update"),
  };
}
