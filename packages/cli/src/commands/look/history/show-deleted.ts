// The deleted objects of a resource whose states are kept.
import type { JsonObject } from "@orch/schema";
import { objectFormat } from "../../../output/object-format";
import { ObjectPrinter } from "../../../output/object-printer";
import { CliError } from "../../../process/cli-error";
import { type DeletedObject, deletedObjects, recordedWrites } from "../../../resources/object-history";
import { objectText } from "../../../resources/resource-arguments";
import type { Session } from "../../../session/session";
import { clientOf } from "../../change/targets";
import type { Target } from "../get/targets";
import type { HistoryOptions } from "./history-options";
import { deletedObjectsText } from "./history-tables";
import type { NamedTarget } from "./show-object";

export async function showDeleted(session: Session, target: Target, options: HistoryOptions): Promise<void> {
  const { name } = target;
  const objects = name === undefined ? await all(session, target) : [await one(session, { ...target, name })];
  const { output, allNamespaces = false } = options;
  if (output !== undefined) {
    const format = objectFormat({ output });
    const apiVersion = `${(await session.vocabulary()).groups.meta}/v1`;
    const list = { kind: "DeletedObjectList", apiVersion, items: objects } as unknown as JsonObject;
    if (format !== undefined) session.write(new ObjectPrinter(format).text(list));
  } else if (objects.length === 0) session.tell("No deleted objects found");
  else {
    const shown = { nowMs: session.io.now(), withNamespace: allNamespaces && target.type.namespaced };
    session.write(deletedObjectsText(target, objects, shown));
  }
}

/** Returns the objects, those that were deleted last first. */
async function all(session: Session, target: Target): Promise<readonly DeletedObject[]> {
  const objects: DeletedObject[] = [];
  for await (const page of deletedObjects(session, target)) for (const each of page) objects.push(each);
  return objects.sort((a, b) => (a.time > b.time ? -1 : a.time < b.time ? 1 : 0));
}

/** Returns a deleted object by its name, without reading the names of all. @throws CliError when it was not deleted */
async function one(session: Session, target: NamedTarget): Promise<DeletedObject> {
  const { type, namespace, name } = target;
  const { items } = await recordedWrites(session, target, "1");
  const [newest] = items;
  const client = await clientOf(session, target);
  const isThere = (await client.find(name, { part: "metadata", signal: session.signal })) !== undefined;
  if (newest?.change !== "deleted" || isThere) {
    const why = isThere ? "it exists" : "its deletion was not recorded";
    throw new CliError(`${objectText(type, name)} is not in the history as a deleted object: ${why}`);
  }
  const { time, user, replaces } = newest;
  return {
    ...(namespace !== undefined && { namespace }),
    name,
    time,
    ...(user !== undefined && { user }),
    ...(replaces !== undefined && { lastState: replaces }),
  };
}
