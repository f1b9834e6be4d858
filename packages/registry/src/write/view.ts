// Changes of an object through a subresource of another kind, such as scale. Source: `scaleUpdatedObjectInfo` in
// pkg/registry/apps/deployment/storage/storage.go.

import {
  CONFLICT_TEXT,
  conflict,
  copyJson,
  invalid,
  metaOf,
  type StatusError,
  type SubresourceView,
  writableMeta,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { NamedSubresource, ObjectKey, Patch, WriteResult } from "../contract/operations";
import { objectPath } from "../objects/key-layout";
import type { StoredEntry } from "../objects/stored-entry";
import { changeStored, type Decision } from "./change-stored";
import { nextState } from "./next-state";
import { placeApplied } from "./patch";
import { patchedObject } from "./patched-object";
import { placeNext } from "./placement";
import { missingObject } from "./update";
import { type ViewOwners, viewOwners } from "./view-owners";
import { attemptAttributes, type WriteAttempt } from "./write-step";

/** Updates an object through a view. @param object of the view's kind, decoded; see update.ts for the rest */
export function updateView(
  context: ResourceContext,
  object: JsonObject,
  at: ObjectKey,
  write: ViewWrite,
): Promise<WriteResult> {
  const { uid = "" } = metaOf(object);
  const change: ViewChange = {
    uid,
    next: (live, owners) => owners.tracked(live, copyJson(object)),
    uidConflict: (uid) => conflict(context.resource, at.name, CONFLICT_TEXT.uidPrecondition(uid)),
  };
  return changeThroughView(context, change, at, write);
}

/** Patches an object through a view; see patch.ts. */
export function patchView(
  context: ResourceContext,
  change: Patch,
  at: ObjectKey,
  write: ViewWrite,
): Promise<WriteResult> {
  const { view, noticed, subresource } = write;
  const { group, resource } = context.resource;
  const part = { group, resource: `${resource}/${subresource.name}` };
  const through: ViewChange = {
    uid: "",
    next(live, owners) {
      if (change.kind !== "apply")
        return owners.tracked(live, patchedObject(view.version, { live: copyJson(live), change }, noticed));
      placeApplied(context, change.body, at, at.name);
      return owners.applied(live, change);
    },
    uidConflict: (uid) => conflict(part, at.name, CONFLICT_TEXT.uidOfViewedObject(uid)),
  };
  return changeThroughView(context, through, at, write);
}

export interface ViewWrite extends WriteAttempt {
  readonly subresource: NamedSubresource;
  readonly view: SubresourceView;
}

/** @returns undefined for a write that does not use a view */
export function viewWrite(write: WriteAttempt): ViewWrite | undefined {
  const { subresource } = write;
  const view = subresource?.rules.view;
  return subresource === undefined || view === undefined ? undefined : { view, ...write, subresource };
}

interface ViewChange {
  /** Uid in the request; "" in a patch, and when the object has none. */
  readonly uid: string;
  /** Receives the present view and returns the requested one, decoded. The caller may change the result. */
  readonly next: (live: JsonObject, owners: ViewOwners) => JsonObject;
  /** Returns the error for a uid that is not the parent's. */
  readonly uidConflict: (uid: { readonly wanted: string; readonly found: string }) => StatusError;
}

/**
 * @returns the parent
 * @throws StatusError like an update of the parent; Invalid (422) for the view
 */
async function changeThroughView(
  context: ResourceContext,
  change: ViewChange,
  at: ObjectKey,
  write: ViewWrite,
): Promise<WriteResult> {
  const path = objectPath(at.namespace, at.name);
  const { dryRun, signal, tries } = write;
  const request = { operation: "update", path, name: at.name, dryRun, signal, tries } as const;
  const { entry } = await changeStored(context, request, (current) => {
    if (current === undefined) throw missingObject(context, at, change.uid);
    return nextParent(context, { change, current }, at, write);
  });
  return { entry, created: false };
}

async function nextParent(
  context: ResourceContext,
  of: { readonly change: ViewChange; readonly current: StoredEntry },
  at: ObjectKey,
  write: ViewWrite,
): Promise<Decision> {
  const { change, current } = of;
  const { view } = write;
  const { admission, definition } = context;
  const old = current.inHub();
  const owners = viewOwners(context, old, write);
  const oldObject = owners.shown();
  const live = owners.shown();
  view.markMissing?.(live, old);
  let object = change.next(live, owners);
  placeNext(definition, object, at);
  const { uid = "", resourceVersion = "" } = metaOf(object);
  const found = metaOf(old).uid ?? "";
  if (uid !== "" && uid !== found) throw change.uidConflict({ wanted: uid, found });
  // Mutating admission sees the view in the request, not the parent.
  const parts = attemptAttributes(context, "UPDATE", at, write, { object, oldObject });
  const request = admission && write.tries.ask({ ...parts, kind: view.version });
  if (request !== undefined) {
    const mutation = admission?.mutate(request);
    if (mutation !== undefined) await mutation;
    object = request.object ?? object;
  }
  const errors = view.validate(object);
  if (errors.length > 0) throw invalid(view.version, at.name, errors);
  const next = copyJson(old);
  view.write(next, object);
  owners.record(next, object);
  if (request !== undefined) {
    // Validating admission sees what the view shows after the change.
    request.object = view.read(next);
    delete writableMeta(oldObject)["managedFields"];
    const judgement = admission?.validate(request);
    if (judgement !== undefined) await judgement;
  }
  // A view without a resource version applies to any state, even if the parent's kind requires a version in updates.
  const isUnseen = resourceVersion === "" || resourceVersion === "0";
  writableMeta(next)["resourceVersion"] = isUnseen ? String(current.resourceVersion) : resourceVersion;
  return nextState({ ...context, admission: undefined }, { next, old, current }, at, write);
}
