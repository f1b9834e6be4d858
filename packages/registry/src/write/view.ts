// Changes of an object through a subresource of another kind, such as scale. The managedFields of the object stay
// unchanged: the other kind does not track them.

import {
  CONFLICT_TEXT,
  conflict,
  copyJson,
  invalid,
  metaOf,
  passAdmission,
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
import { missingObject } from "./update";
import { attemptAttributes, type WriteAttempt } from "./write-step";

/** Updates an object through a view. @param object of the view's kind, decoded; see update.ts for the rest */
export function updateView(
  context: ResourceContext,
  object: JsonObject,
  at: ObjectKey,
  write: ViewWrite,
): Promise<WriteResult> {
  const { uid = "" } = metaOf(object);
  return changeThroughView(context, { next: () => copyJson(object), uid }, at, write);
}

/** Patches an object through a view; see patch.ts. Server-side apply is not possible on a view. */
export function patchView(
  context: ResourceContext,
  change: Patch,
  at: ObjectKey,
  write: ViewWrite,
): Promise<WriteResult> {
  const { subresource, view, noticed } = write;
  if (change.kind === "apply")
    throw new Error(`the subresource ${subresource.name} does not support server-side apply`);
  const next = (live: JsonObject) => patchedObject(view.version, { live, change }, noticed);
  return changeThroughView(context, { next, uid: "" }, at, write);
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
  /** Receives the present view and returns the requested one, decoded. The caller may change the result. */
  readonly next: (live: JsonObject) => JsonObject;
  /** Uid in the request; "" in a patch, and when the object has none. */
  readonly uid: string;
}

/**
 * @returns the parent
 * @throws StatusError like an update of the parent; Invalid (422) for the view
 */
async function changeThroughView(
  context: ResourceContext,
  { next, uid }: ViewChange,
  at: ObjectKey,
  write: ViewWrite,
): Promise<WriteResult> {
  const path = objectPath(at.namespace, at.name);
  const { dryRun, signal, tries } = write;
  const request = { operation: "update", path, name: at.name, dryRun, signal, tries } as const;
  const { entry } = await changeStored(context, request, (current) => {
    if (current === undefined) throw missingObject(context, at, uid);
    return nextParent(context, { next, current }, at, write);
  });
  return { entry, created: false };
}

async function nextParent(
  context: ResourceContext,
  of: {
    readonly next: (live: JsonObject) => JsonObject;
    readonly current: StoredEntry;
  },
  at: ObjectKey,
  write: ViewWrite,
): Promise<Decision> {
  const { current } = of;
  const { view } = write;
  const { admission, definition, resource } = context;
  const old = current.inHub();
  const oldObject = view.read(old);
  const live = view.read(old);
  view.markMissing?.(live, old);
  let object = of.next(live);
  placeNext(definition, object, at);
  const { uid = "", resourceVersion = "" } = metaOf(object);
  const found = metaOf(old).uid ?? "";
  if (uid !== "" && uid !== found) {
    throw conflict(resource, at.name, CONFLICT_TEXT.uidPrecondition({ wanted: uid, found }));
  }
  const errors = view.validate(object);
  if (errors.length > 0) throw invalid(view.version, at.name, errors);
  // Admission sees the view in the request, not the parent.
  if (admission !== undefined) {
    const parts = attemptAttributes(context, "UPDATE", at, write, { object, oldObject });
    object = (await passAdmission(admission, write.tries.ask({ ...parts, kind: view.version }))) ?? object;
  }
  const next = copyJson(old);
  view.write(next, object);
  // A view without a resource version applies to any state, even if the parent's kind requires a version in updates.
  const isUnseen = resourceVersion === "" || resourceVersion === "0";
  writableMeta(next)["resourceVersion"] = isUnseen ? String(current.resourceVersion) : resourceVersion;
  return nextState({ ...context, admission: undefined }, { next, old, current }, at, write);
}
