import { copyJson, isReason, MOST_RECENT, metaOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { Entry, ResourceStorage, WriteContext } from "../registry";

/**
 * Creates an object unless it exists. @param object canonical @returns the existing object; undefined when it was
 * created
 */
export async function createUnlessPresent(
  storage: Pick<ResourceStorage, "create" | "get">,
  object: JsonObject,
  write: WriteContext,
): Promise<Entry | undefined> {
  const { namespace = "", name = "" } = metaOf(object);
  try {
    await storage.create(copyJson(object), { namespace, name: "" }, write);
    return undefined;
  } catch (error) {
    if (!isReason(error, "AlreadyExists")) throw error;
    return storage.get({ namespace, name }, MOST_RECENT);
  }
}
