// Objects that the server makes of itself, the same in every cluster: see prepared-seeds.ts.
// Each has a revision of its own: who watches goes on from the last object that it was shown, and would miss the others of one revision.

import { MOST_RECENT, metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { objectPath } from "../objects/key-layout";
import type { StoredEntry } from "../objects/stored-entry";
import { UnreadableObject } from "../objects/unreadable-objects";
import { get } from "../read/get";
import type { WriteContext } from "../registry";
import type { ResourceContext } from "../resource-context";
import { putGuarded } from "./guarded-write";
import { seedText } from "./prepared-seeds";

/**
 * Stores an object unless there is one of its name. Neither admission nor the rules of the kind are asked: for a new cluster, where nobody
 * can have configured anything yet, by who knows that it keeps to the rules.
 * @param object canonical, one of a fixed set: what is made of it is remembered
 * @returns the object that was there already; undefined when it was created
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
    // It may have been mended since.
    if (error instanceof UnreadableObject) return get(context, { namespace, name }, MOST_RECENT);
    throw error;
  }
}
