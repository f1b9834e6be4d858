// The delete verb: removes an object, or sets its deletionTimestamp while finalizers, a grace period or a termination
// of its own keep it. Source: Kubernetes documentation, "Finalizers";
// staging/src/k8s.io/apiserver/pkg/registry/rest/delete.go.

import {
  CONFLICT_TEXT,
  conflict,
  type DeletionRules,
  deletionStep,
  field,
  forbidden,
  IGNORES_READ_ERROR,
  invalid,
  metaOf,
  notFound,
  passAdmission,
  requirePreconditions,
  type StatusError,
} from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { DeleteOptions, DeleteResult, ObjectKey, WriteContext } from "../contract/operations";
import { objectPath } from "../objects/key-layout";
import { encodeStored } from "../objects/resource-form";
import { StoredEntry } from "../objects/stored-entry";
import type { StoredItem } from "../objects/stored-item";
import { UnreadableObject } from "../objects/unreadable-objects";
import { changeStored, type Decision } from "./change-stored";
import { deleteGuarded, NO_TERMS } from "./guarded-write";
import { attemptAttributes, type WriteAttempt } from "./write-step";

/**
 * Deletes an object. @throws StatusError NotFound (404), Conflict (409) for a precondition, Forbidden (403) by a rule
 * of the kind; errors of admission; see store-failures.ts
 */
export async function remove(
  context: ResourceContext,
  at: ObjectKey,
  options: DeleteOptions,
  write: WriteAttempt,
): Promise<DeleteResult> {
  const path = objectPath(at.namespace, at.name);
  const { dryRun, signal, tries } = write;
  const request = { operation: "delete", path, name: at.name, dryRun, signal, tries } as const;
  try {
    const { entry, removed } = await changeStored(context, request, async (current) => {
      if (current === undefined) throw notFound(context.resource, at.name);
      if (options.unreadable === "only") throw readable(context, at.name);
      checkPreconditions(context, current, at, options);
      return nextStep(context, current, at, { options, write });
    });
    return { entry, removed };
  } catch (error) {
    if (!(error instanceof UnreadableObject) || options.unreadable === "refused") throw error;
    return removeUnreadable(context, error.item, at, { options, write });
  }
}

/** Source: staging/src/k8s.io/apiserver/pkg/registry/generic/registry/corrupt_obj_deleter.go. */
const readable = ({ resource }: ResourceContext, name: string): StatusError =>
  invalid({ group: resource.group, kind: resource.resource }, name, [
    field.invalid(
      IGNORES_READ_ERROR,
      true,
      "is exclusively used to delete corrupt object(s), try again by removing this option",
    ),
  ]);

interface RequestedDeletion {
  readonly options: DeleteOptions;
  readonly write: WriteAttempt;
}

/** Deletes an unreadable object. Its finalizers and owners are unknown, so it is removed at once. */
async function removeUnreadable(
  context: ResourceContext,
  { path, modRevision }: StoredItem,
  at: ObjectKey,
  { options, write }: RequestedDeletion,
): Promise<DeleteResult> {
  const { namespace, name } = at;
  const metadata = { name, ...(namespace === "" ? {} : { namespace }) };
  const shown = new StoredEntry(context.form, path, modRevision, encodeStored(context.form, { metadata }));
  checkPreconditions(context, shown, at, options);
  const { tries } = write;
  try {
    await admit(context, shown.inHub(), at, { options, write });
  } catch (error) {
    tries.end("undone");
    throw error;
  }
  try {
    const entry = write.dryRun ? shown : await removeShown(context, shown, at, write);
    tries.end("done");
    return { entry, removed: true };
  } catch (error) {
    return tries.fail(error);
  }
}

/** @throws StatusError Conflict (409) when the object has changed */
async function removeShown(
  context: ResourceContext,
  shown: StoredEntry,
  { name }: ObjectKey,
  { signal }: WriteContext,
): Promise<StoredEntry> {
  const guard = { operation: "delete", path: shown.path, revision: shown.resourceVersion, signal } as const;
  const result = await deleteGuarded(context, guard);
  if (!result.written) throw conflict(context.resource, name, CONFLICT_TEXT.modified());
  return shown.at(result.revision);
}

function checkPreconditions(
  { kind }: ResourceContext,
  current: StoredEntry,
  { name }: ObjectKey,
  { preconditions = {} }: DeleteOptions,
): void {
  const found = { uid: String(current.metadata("uid") ?? ""), resourceVersion: String(current.resourceVersion) };
  requirePreconditions({ group: kind.group, resource: kind.kind }, name, { wanted: preconditions, found });
}

const LIKE_MOST: DeletionRules = {};

async function nextStep(
  context: ResourceContext,
  current: StoredEntry,
  at: ObjectKey,
  { options, write }: RequestedDeletion,
): Promise<Decision> {
  const old = current.object();
  const rules = context.definition.strategy.deletion ?? LIKE_MOST;
  const refusal = rules.refusal?.(old);
  if (refusal !== undefined) throw forbidden(context.resource, at.name, refusal);
  const step = deletionStep(old, rules, {
    gracePeriodSeconds: options.gracePeriodSeconds,
    propagation: (context.leavesDependents ? options.propagation : undefined) ?? { kind: "default" },
    orphansByDefault: context.leavesDependents && (write.version.orphansDependents ?? false),
    nowMs: context.clock.now(),
  });
  // The deletion in progress has been admitted before.
  if (step.kind === "keep") return step;
  const { toHub } = context.definition.storage;
  const shown = toHub === undefined ? old : current.inHub();
  await admit(context, shown, at, { options: graceful(options, rules, step), write });
  if (step.kind === "mark") return { kind: "put", stored: encodeStored(context.form, step.object), terms: NO_TERMS };
  return step.last === old ? { kind: "remove" } : { kind: "remove", last: encodeStored(context.form, step.last) };
}

/** Adds the grace period that the kind sets, if any. */
function graceful(options: DeleteOptions, { graceSeconds }: DeletionRules, step: DoneDeletion): DeleteOptions {
  if (graceSeconds === undefined) return options;
  const { deletionGracePeriodSeconds: given } = metaOf(step.kind === "mark" ? step.object : step.last);
  return given === undefined || given === null ? options : { ...options, gracePeriodSeconds: given };
}

type DoneDeletion = Exclude<ReturnType<typeof deletionStep>, { readonly kind: "keep" }>;

/** @param oldObject in the hub form */
async function admit(
  context: ResourceContext,
  oldObject: JsonObject,
  at: ObjectKey,
  { options, write }: RequestedDeletion,
): Promise<void> {
  const { admission } = context;
  if (admission === undefined) return;
  const parts = attemptAttributes(context, "DELETE", at, write, { object: undefined, oldObject });
  await passAdmission(admission, write.tries.ask({ ...parts, options: () => ({ kind: "DeleteOptions", ...options }) }));
}
