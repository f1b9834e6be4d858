// The patch verb: a change that names only the differences, applied to the present object. Source: Kubernetes
// documentation, "Update API Objects in Place Using kubectl patch" and "Server-Side Apply";
// staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go.

import {
  type ApplyRequest,
  applyPatch,
  badRequest,
  type ClientSideApply,
  CONFLICT_TEXT,
  conflict,
  copyJson,
  metaOf,
  notFound,
  timestamp,
  undecodablePatchResult,
  writableMeta,
} from "@orch/machinery";
import { DecodeError, describe, type JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { ObjectKey, Patch, PatchContext, WriteResult } from "../contract/operations";
import { inVersionOf } from "../conversion/object-versions";
import { objectPath } from "../objects/key-layout";
import { encodeHub } from "../objects/resource-form";
import type { StoredEntry } from "../objects/stored-entry";
import { allocateUniqueValues } from "./allocations";
import { changeStored, type Decision } from "./change-stored";
import { trackFields, writerOf } from "./field-tracking";
import { nextState } from "./next-state";
import { patchedObject } from "./patched-object";
import { placeNext } from "./placement";
import { prepareNew } from "./prepare-new";
import { dropDuplicateOwners, hasHubShape, toHub, type WriteAttempt } from "./write-step";

/**
 * Patches an object. The patch is applied again after a conflicting write, unless it names a resource version.
 * @throws StatusError BadRequest (400), NotFound (404), Conflict (409), Invalid (422), RequestEntityTooLarge (413);
 * errors of admission; see store-failures.ts
 */
export async function patch(
  context: ResourceContext,
  change: Patch,
  at: ObjectKey,
  write: WriteAttempt,
): Promise<WriteResult> {
  const path = objectPath(at.namespace, at.name);
  const { dryRun, signal, tries } = write;
  const ownersMatter = change.kind === "apply";
  const request = { operation: "update", path, name: at.name, dryRun, ownersMatter, signal, tries } as const;
  if (change.kind === "apply") placeApplied(context, change.body, at);
  const { entry, created } = await changeStored(context, request, (current) => {
    if (change.kind === "apply") return applied(context, { current, ...change }, at, write);
    if (current === undefined) throw notFound(context.resource, at.name);
    return patched(context, { change, current }, at, write);
  });
  return { entry, created };
}

/**
 * Checks that the body of an apply belongs to the object in the URL. The body has not been decoded yet.
 * @param name the name of a body without one
 */
export function placeApplied(context: ResourceContext, body: JsonObject, at: ObjectKey, name = ""): void {
  const metadata: JsonObject = { name, ...writableMeta(body) };
  for (const field of READ_BEFORE_DECODING) {
    const value = metadata[field] ?? "";
    if (typeof value !== "string") throw badRequest(`metadata.${field}: expected string, got ${describe(value)}`);
  }
  placeNext(context.definition, { metadata }, at);
}

const READ_BEFORE_DECODING = ["name", "namespace", "uid", "resourceVersion"] as const;

async function patched(
  context: ResourceContext,
  { change, current }: { readonly change: Exclude<Patch, { kind: "apply" }>; readonly current: StoredEntry },
  at: ObjectKey,
  write: WriteAttempt,
): Promise<Decision> {
  const live = inVersionOf(write.version, current);
  // The patched object may share parts with the live one, and later steps change it.
  const next = patchedObject(write.version, { live: copyJson(live), change }, write.noticed);
  placeNext(context.definition, next, at);
  dropDuplicateOwners(next, write, "client");
  trackFields(context, { old: live, next }, write);
  const old = hasHubShape(context, write.version) ? live : current.inHub();
  return nextState(context, { next: toHub(context, write.version, next), old, current }, at, write);
}

async function applied(
  context: ResourceContext,
  given: { readonly body: JsonObject; readonly force: boolean; readonly current: StoredEntry | undefined },
  at: ObjectKey,
  write: WriteAttempt,
): Promise<Decision> {
  const { body, force, current } = given;
  if (current === undefined) await requireCreatable(context, body, at, write);
  const live = current && inVersionOf(write.version, current);
  const object = appliedObject({
    live,
    applied: body,
    force,
    by: writerOf(context, write),
    versions: context.versions,
    ...applyOptions(context),
  });
  if (current === undefined || live === undefined) {
    placeNext(context.definition, object, at);
    const hub = toHub(context, write.version, object);
    const { object: next, terms } = await prepareNew(context, hub, at, write);
    await allocateUniqueValues(context, { next, old: undefined }, write.dryRun);
    return { kind: "put", stored: encodeHub(context.form, next), terms };
  }
  const next = toHub(context, write.version, object);
  const old = hasHubShape(context, write.version) ? live : current.inHub();
  return nextState(context, { next, old, current }, at, write);
}

/** Applies a patch. @throws StatusError, see `applyPatch`; Invalid (422) for a value that its field cannot hold */
export function appliedObject(request: ApplyRequest): JsonObject {
  try {
    return applyPatch(request);
  } catch (error) {
    if (error instanceof DecodeError) throw undecodablePatchResult(request.applied, error);
    throw error;
  }
}

async function requireCreatable(
  { resource }: ResourceContext,
  body: JsonObject,
  { name }: ObjectKey,
  write: PatchContext,
): Promise<void> {
  if (write.subresource !== undefined) throw notFound(resource, name);
  const { uid = "" } = metaOf(body);
  if (uid !== "") throw conflict(resource, name, CONFLICT_TEXT.uidOfMissingObject(uid));
  await write.beforeCreate?.();
}

/** Returns the parts of an apply that are the same for all bodies. */
export function applyOptions({ vocabulary, itemOrder, clock }: ResourceContext) {
  const clientSideApply: ClientSideApply = {
    manager: vocabulary.programs.orchctl,
    annotation: vocabulary.annotations.orchctlLastAppliedConfiguration,
  };
  return { time: timestamp(clock.now()), clientSideApply, itemOrder };
}
