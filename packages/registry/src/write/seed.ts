// Objects that the server itself creates, the same in every cluster: see prepared-seeds.ts. Each has a revision of its
// own: a watch that resumes from one object would miss the others of the same revision.

import { MOST_RECENT, metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { WriteContext } from "../contract/operations";
import { objectPath } from "../objects/key-layout";
import type { StoredEntry } from "../objects/stored-entry";
import { UnreadableObject } from "../objects/unreadable-objects";
import { get } from "../read/get";
import { putGuarded } from "./guarded-write";
import { seedText } from "./prepared-seeds";

/**
 * Stores an object unless one of its name exists. Skips admission and validation: meant for a new cluster, in which
 * nothing is configured yet, and for callers that know the object to be valid.
 * @param object canonical, one of a fixed set: its encoded form is cached
 * @returns the existing object; undefined when it was created
 * @throws UnreadableObject (500); see store-failures.ts
 */
export async function seed(
  context: ResourceContext,
  object: JsonObject,
  write: WriteContext,
): Promise<StoredEntry | undefined> {
  const { namespace = "", name = "" } = metaOf(object);
  const path = objectPath(namespace, name);
  const stored = Buffer.from(seedText(context, object, write));
  try {
    const result = await putGuarded(context, { operation: "create", path, revision: 0, signal: undefined }, stored);
    return result.written ? undefined : result.current;
  } catch (error) {
    // The object may have been repaired since.
    if (error instanceof UnreadableObject) return get(context, { namespace, name }, MOST_RECENT);
    throw error;
  }
}
