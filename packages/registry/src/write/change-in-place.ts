// A change that the server itself works out from the object as it is: read, decided and written in one step that no other write comes
// between. What is done to objects through an action, such as a binding, is done so.

import { copyJson, notFound } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { objectPath } from "../objects/key-layout";
import type { ObjectKey, WriteResult } from "../registry";
import type { ResourceContext } from "../resource-context";
import { changeStored } from "./change-stored";
import { nextState, type TriedUpdate } from "./next-state";

/**
 * The fields of the object keep their owners. @param context without admission: it has seen the request that causes the change
 * @param change given a copy of the object in the hub's shape, returns it changed; called again where another write came first;
 *   refuses by throwing a StatusError
 * @throws StatusError NotFound (404), Conflict (409) where others always came first, Invalid (422); see store-failures.ts
 */
export async function changeInPlace(
  context: ResourceContext,
  change: (object: JsonObject) => JsonObject,
  at: ObjectKey,
  write: TriedUpdate,
): Promise<WriteResult> {
  const path = objectPath(at.namespace, at.name);
  const { dryRun, signal, tries } = write;
  const request = { operation: "update", path, name: at.name, dryRun, signal, tries } as const;
  const { entry } = await changeStored(context, request, async (current) => {
    if (current === undefined) throw notFound(context.resource, at.name);
    const old = current.inHub();
    const next = change(copyJson(old));
    return nextState(context, { next, old, current }, at, write);
  });
  return { entry, created: false };
}
