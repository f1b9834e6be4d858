// Stores an object again, unchanged for clients, in the form in which this server stores objects now. Admission and
// validation are skipped because nothing changes: objects that have become invalid since they were stored are
// converted, too.
import { AdmittedWrite, generateUid, notFound } from "@orch/machinery";
import type { ResourceContext } from "../context/resource-context";
import type { ObjectKey, ReadOptions } from "../contract/operations";
import { objectPath } from "../objects/key-layout";
import { encodeStored } from "../objects/resource-form";
import type { StoredEntry } from "../objects/stored-entry";
import { changeStored } from "./change-stored";
import { NO_TERMS } from "./guarded-write";

/**
 * Rewrites an object. @returns whether it was written; false when its form is already the present one
 * @throws StatusError NotFound (404), Conflict (409) after too many conflicting writes, RequestEntityTooLarge (413),
 * errors of a conversion; ManyValuesError; see store-failures.ts
 */
export async function rewrite(context: ResourceContext, at: ObjectKey, { signal }: ReadOptions): Promise<boolean> {
  let isWritten = false;
  const tries = new AdmittedWrite(undefined, { dryRun: false, warn() {} }, () => generateUid(context.randomness));
  const request = {
    operation: "update",
    path: objectPath(at.namespace, at.name),
    name: at.name,
    dryRun: false,
    // The managedFields are visible to clients and must not be dropped.
    ownersMatter: true,
    signal,
    tries,
  } as const;
  await changeStored(context, request, async (current) => {
    if (current === undefined) throw notFound(context.resource, at.name);
    isWritten = !current.isCurrent;
    return isWritten ? { kind: "put", stored: inPresentForm(context, current), terms: NO_TERMS } : { kind: "keep" };
  });
  return isWritten;
}

/** @throws NeedsConversion */
function inPresentForm({ form }: ResourceContext, current: StoredEntry): Buffer {
  return current.form.stored.apiVersion === form.stored.apiVersion
    ? current.stored()
    : encodeStored(form, current.object());
}
