// A change that the server computes from the present object: read, decision and write form one step that no other write
// can interrupt. Actions such as a binding use it.

import { copyJson, notFound } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { ObjectKey, WriteResult } from "../contract/operations";
import { objectPath } from "../objects/key-layout";
import { changeStored } from "./change-stored";
import { nextState, type UpdateAttempt } from "./next-state";

/**
 * Changes an object. Its fields keep their managers. @param context without admission, which has seen the request that
 * causes the change
 * @param change receives a copy of the object in the hub form and returns it changed; called again after a conflicting
 * write; rejects by throwing a StatusError
 * @throws StatusError NotFound (404), Conflict (409) after too many conflicting writes, Invalid (422); see
 * store-failures.ts
 */
export async function changeInPlace(
  context: ResourceContext,
  change: (object: JsonObject) => JsonObject,
  at: ObjectKey,
  write: UpdateAttempt,
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
