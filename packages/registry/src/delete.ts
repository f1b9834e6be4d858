// Removes an object, or marks it while finalizers, a time of grace or a termination of its own hold it.
// Source: facts, http.md "Delete", strategy.json "_generic"; resource-api, "Object deletion".

import { CONFLICT_TEXT, conflict, type DeletionRules, deletionStep, forbidden, notFound } from "@orch/machinery";
import { changeStored, type Decision } from "./change-stored";
import { NO_PREMISES } from "./create";
import { objectPath } from "./key-layout";
import type { DeleteOptions, DeleteResult, ObjectKey, WriteContext } from "./registry";
import type { ResourceContext } from "./resource-context";
import { encodeStored } from "./resource-form";
import type { StoredEntry } from "./stored-entry";
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
  const { entry, removed } = await changeStored(context, request, async (current) => {
    if (current === undefined) throw notFound(context.resource, at.name);
    checkPreconditions(context, current, at, options);
    return nextStep(context, current, at, { options, write });
  });
  return { entry, removed };
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
