// Changes of an object through a subresource of another kind, such as scale. Source: `scaleUpdatedObjectInfo` in
// pkg/registry/apps/deployment/storage/storage.go.

import {
  CONFLICT_TEXT,
  conflict,
  copyJson,
  invalid,
  metaOf,
  notFound,
  type SubresourceView,
  writableMeta,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { NamedSubresource, ObjectKey, Patch, WriteResult } from "../contract/registry";
import { objectPath } from "../objects/key-layout";
import type { StoredEntry } from "../objects/stored-entry";
import { changeStored, type Decision } from "./change-stored";
import { nextState } from "./next-state";
import { patchedObject } from "./patched-object";
import { placeNext } from "./placement";
import { type ViewOwners, viewOwners } from "./view-owners";
import { attemptAttributes, type WriteAttempt } from "./write-step";

/** Updates an object through a view. @param object of the view's kind, decoded; see update.ts for the rest */
export function updateView(
  context: ResourceContext,
  object: JsonObject,
  at: ObjectKey,
  write: ViewWrite,
): Promise<WriteResult> {
  return changeThroughView(context, (live, owners) => owners.tracked(live, copyJson(object)), at, write);
}

/** Patches an object through a view; see patch.ts. */
export function patchView(
  context: ResourceContext,
  change: Patch,
  at: ObjectKey,
  write: ViewWrite,
): Promise<WriteResult> {
  const { view, noticed } = write;
  const next: NextView = (live, owners) =>
    change.kind === "apply"
      ? owners.applied(live, change)
      : owners.tracked(live, patchedObject(view.version, { live: copyJson(live), change }, noticed));
  return changeThroughView(context, next, at, write);
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

/** Receives the present view and returns the requested one, decoded. The caller may change the result. */
type NextView = (live: JsonObject, owners: ViewOwners) => JsonObject;

/**
 * @returns the parent
 * @throws StatusError like an update of the parent; Invalid (422) for the view
 */
async function changeThroughView(
  context: ResourceContext,
  nextView: NextView,
  at: ObjectKey,
  write: ViewWrite,
): Promise<WriteResult> {
  const path = objectPath(at.namespace, at.name);
  const { dryRun, signal, tries } = write;
  const request = { operation: "update", path, name: at.name, dryRun, signal, tries } as const;
  const { entry } = await changeStored(context, request, (current) => {
    if (current === undefined) throw notFound(context.resource, at.name);
    return nextParent(context, { nextView, current }, at, write);
  });
  return { entry, created: false };
}

async function nextParent(
  context: ResourceContext,
  of: { readonly nextView: NextView; readonly current: StoredEntry },
  at: ObjectKey,
  write: ViewWrite,
): Promise<Decision> {
  const { current } = of;
  const { view } = write;
  const { admission, definition, resource } = context;
  const old = current.inHub();
  const owners = viewOwners(context, old, write);
  const oldObject = owners.shown();
  const live = owners.shown();
  view.markMissing?.(live, old);
  let object = of.nextView(live, owners);
  placeNext(definition, object, at);
  const { uid = "", resourceVersion = "" } = metaOf(object);
  const found = metaOf(old).uid ?? "";
  if (uid !== "" && uid !== found) {
    throw conflict(resource, at.name, CONFLICT_TEXT.uidPrecondition({ wanted: uid, found }));
  }
  // Mutating admission sees the view in the request, not the parent.
  const parts = attemptAttributes(context, "UPDATE", at, write, { object, oldObject });
  const request = admission && write.tries.ask({ ...parts, kind: view.version });
  if (request !== undefined) {
    const change = admission?.mutate(request);
    if (change !== undefined) await change;
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
