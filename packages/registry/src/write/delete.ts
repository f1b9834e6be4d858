// Removes an object, or marks it while finalizers, a time of grace or a termination of its own hold it.
// Source: facts, http.md "Delete", strategy.json "_generic"; resource-api, "Object deletion".

import { CONFLICT_TEXT, conflict, type DeletionRules, deletionStep, forbidden, notFound } from "@orch/machinery";
import { objectPath } from "../objects/key-layout";
import { encodeStored } from "../objects/resource-form";
import { StoredEntry } from "../objects/stored-entry";
import type { StoredItem } from "../objects/stored-item";
import { UnreadableObject } from "../objects/unreadable-objects";
import type { DeleteOptions, DeleteResult, ObjectKey, WriteContext } from "../registry";
import type { ResourceContext } from "../resource-context";
import { changeStored, type Decision } from "./change-stored";
import { deleteGuarded } from "./guarded-write";
import { NO_PREMISES } from "./prepare-new";
import { admissionRequest } from "./write-step";

/** @throws StatusError NotFound (404), Conflict (409) for a precondition, Forbidden (403) by a rule of the kind; what admission throws; see store-failures.ts */
export async function remove(
  context: ResourceContext,
  at: ObjectKey,
  options: DeleteOptions,
  write: WriteContext,
): Promise<DeleteResult> {
  const path = objectPath(at.namespace, at.name);
  const request = { operation: "delete", path, name: at.name, dryRun: write.dryRun, signal: write.signal } as const;
  try {
    const { entry, removed } = await changeStored(context, request, async (current) => {
      if (current === undefined) throw notFound(context.resource, at.name);
      checkPreconditions(context, current, at, options);
      return nextStep(context, current, at, { options, write });
    });
    return { entry, removed };
  } catch (error) {
    if (!(error instanceof UnreadableObject)) throw error;
    return removeUnreadable(context, error.item, at, { options, write });
  }
}

/** Nobody knows who holds it, or whose it is: it goes at once, as it was met. */
async function removeUnreadable(
  context: ResourceContext,
  { path, modRevision }: StoredItem,
  at: ObjectKey,
  { options, write }: { readonly options: DeleteOptions; readonly write: WriteContext },
): Promise<DeleteResult> {
  const { namespace, name } = at;
  const metadata = { name, ...(namespace === "" ? {} : { namespace }) };
  const shown = new StoredEntry(context.form, path, modRevision, encodeStored(context.form, { metadata }));
  checkPreconditions(context, shown, at, options);
  await admit(context, shown, at, write);
  if (write.dryRun) return { entry: shown, removed: true };
  const guard = { operation: "delete", path, revision: modRevision, signal: write.signal } as const;
  const result = await deleteGuarded(context, guard);
  if (!result.written) throw conflict(context.resource, name, CONFLICT_TEXT.modified());
  return { entry: shown.at(result.revision), removed: true };
}

function checkPreconditions(
  { kind }: ResourceContext,
  current: StoredEntry,
  { name }: ObjectKey,
  { preconditions = {} }: DeleteOptions,
): void {
  const { uid, resourceVersion } = preconditions;
  const of = { group: kind.group, resource: kind.kind };
  const foundUid = String(current.metadata("uid") ?? "");
  if (uid !== undefined && uid !== foundUid) {
    throw conflict(of, name, CONFLICT_TEXT.uidPrecondition({ wanted: uid, found: foundUid }));
  }
  const found = String(current.resourceVersion);
  if (resourceVersion !== undefined && resourceVersion !== found) {
    throw conflict(of, name, CONFLICT_TEXT.resourceVersionPrecondition({ wanted: resourceVersion, found }));
  }
}

const LIKE_MOST: DeletionRules = {};

async function nextStep(
  context: ResourceContext,
  current: StoredEntry,
  at: ObjectKey,
  { options, write }: { readonly options: DeleteOptions; readonly write: WriteContext },
): Promise<Decision> {
  const old = current.object();
  const rules = context.definition.strategy.deletion ?? LIKE_MOST;
  const refusal = rules.refusal?.(old);
  if (refusal !== undefined) throw forbidden(context.resource, at.name, refusal);
  const step = deletionStep(old, rules, {
    gracePeriodSeconds: options.gracePeriodSeconds,
    propagation: options.propagation ?? { kind: "default" },
    orphansByDefault: write.version.orphansDependents ?? false,
    nowMs: context.clock.now(),
  });
  // A deletion that is under way already has been admitted.
  if (step.kind === "keep") return step;
  await admit(context, current, at, write);
  if (step.kind === "mark")
    return { kind: "put", stored: encodeStored(context.form, step.object), premises: NO_PREMISES };
  return step.last === old ? { kind: "remove" } : { kind: "remove", last: encodeStored(context.form, step.last) };
}

async function admit(context: ResourceContext, current: StoredEntry, at: ObjectKey, write: WriteContext) {
  const { admission } = context;
  if (admission === undefined) return;
  const request = admissionRequest(context, "DELETE", at, write, { oldObject: current.inHub() });
  await admission.mutate(request);
  await admission.validate(request);
}
