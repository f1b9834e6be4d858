// Removes an object, or marks it for removal while finalizers hold it.
// Source: facts, http.md "Delete", strategy.json "_generic"; resource-api, "Object deletion".

import { CONFLICT_TEXT, conflict, metaOf, notFound, timestamp, writableMeta } from "@orch/machinery";
import { changeStored, type Decision } from "./change-stored";
import { objectPath } from "./key-layout";
import type { DeleteOptions, DeleteResult, ObjectKey, WriteContext } from "./registry";
import type { ResourceContext } from "./resource-context";
import { encodeStored } from "./resource-form";
import type { StoredEntry } from "./stored-entry";
import { admissionRequest } from "./write-step";

/** @throws StatusError NotFound (404), Conflict (409) for a precondition; what admission throws; see store-failures.ts */
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
    return endOf(context, current, at, write);
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

async function endOf(
  context: ResourceContext,
  current: StoredEntry,
  at: ObjectKey,
  write: WriteContext,
): Promise<Decision> {
  const { admission } = context;
  if (admission !== undefined) {
    const request = admissionRequest(context, "DELETE", at, write, { oldObject: current.object() });
    await admission.mutate(request);
    await admission.validate(request);
  }
  const finalizers = current.metadata("finalizers");
  if (!Array.isArray(finalizers) || finalizers.length === 0) return { kind: "remove" };
  return current.metadata("deletionTimestamp") === undefined ? marked(context, current) : { kind: "keep" };
}

function marked(context: ResourceContext, current: StoredEntry): Decision {
  const object = current.object();
  const meta = writableMeta(object);
  const { generation = 0 } = metaOf(object);
  meta["deletionTimestamp"] = timestamp(context.clock.now());
  meta["deletionGracePeriodSeconds"] = 0;
  if (generation > 0) meta["generation"] = generation + 1;
  return { kind: "put", stored: encodeStored(context.form, object) };
}
