// The update verb, for an object or one of its subresources. Source:
// staging/src/k8s.io/apiserver/pkg/registry/generic/registry/store.go.

import { CONFLICT_TEXT, conflict, copyJson, metaOf, notFound, type StatusError } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { ObjectKey, WriteResult } from "../contract/operations";
import { inVersionOf } from "../conversion/object-versions";
import { objectPath } from "../objects/key-layout";
import { encodeHub } from "../objects/resource-form";
import { allocateUniqueValues } from "./allocations";
import { changeStored, type Decision } from "./change-stored";
import { trackFields } from "./field-tracking";
import { nextState, type UpdateAttempt } from "./next-state";
import { placeNext } from "./placement";
import { prepareNew } from "./prepare-new";
import { dropDuplicateOwners, hasHubShape, toHub } from "./write-step";

/**
 * Updates an object.
 * @param object in the request's version, decoded; the registry owns it from now on
 * @throws StatusError BadRequest (400), NotFound (404), Conflict (409), Invalid (422); errors of admission; see
 * store-failures.ts
 */
export async function update(
  context: ResourceContext,
  object: JsonObject,
  at: ObjectKey,
  write: UpdateAttempt,
): Promise<WriteResult> {
  placeNext(context.definition, object, at);
  write.version.type.applyDefaults(object);
  dropDuplicateOwners(object, write, "client");
  const path = objectPath(at.namespace, at.name);
  const { dryRun, signal, tries } = write;
  const request = { operation: "update", path, name: at.name, dryRun, signal, tries } as const;
  const { entry, created } = await changeStored(context, request, (current) => {
    // Later steps change the object, and each attempt must begin with what the client sent.
    const next = copyJson(object);
    if (current === undefined) return createInstead(context, next, at, write);
    const old = inVersionOf(write.version, current);
    trackFields(context, { old, next }, write);
    const hub = hasHubShape(context, write.version) ? old : current.inHub();
    return nextState(context, { next: toHub(context, write.version, next), old: hub, current }, at, write);
  });
  return { entry, created };
}

/** @param uid uid in the request: a precondition that no missing object meets; "" for none */
export function missingObject({ resource }: ResourceContext, { name }: ObjectKey, uid: string): StatusError {
  return uid === "" ? notFound(resource, name) : conflict(resource, name, CONFLICT_TEXT.uidOfMissingObject(uid));
}

async function createInstead(
  context: ResourceContext,
  object: JsonObject,
  at: ObjectKey,
  write: UpdateAttempt,
): Promise<Decision> {
  const { uid = "" } = metaOf(object);
  if (uid !== "" || !context.definition.strategy.createOnUpdate || write.subresource !== undefined)
    throw missingObject(context, at, uid);
  await write.beforeCreate?.();
  trackFields(context, { old: undefined, next: object }, write);
  const hub = toHub(context, write.version, object);
  const { object: next, terms } = await prepareNew(context, hub, at, write);
  await allocateUniqueValues(context, { next, old: undefined }, write.dryRun);
  return { kind: "put", stored: encodeHub(context.form, next), terms };
}
