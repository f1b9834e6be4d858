// Stores an object again, the same in all that clients see of it, in the form in which this server stores objects now. Nobody else's rules are
// asked, for nothing is changed: what has become invalid since it was stored is brought into the present form all the same.
import { AdmittedWrite, generateUid, notFound } from "@orch/machinery";
import { objectPath } from "../objects/key-layout";
import { encodeStored } from "../objects/resource-form";
import type { StoredEntry } from "../objects/stored-entry";
import type { ObjectKey, ReadOptions } from "../registry";
import type { ResourceContext } from "../resource-context";
import { changeStored } from "./change-stored";
import { NO_TERMS } from "./write-terms";

/**
 * @returns whether it was written; not where it lies in that form already
 * @throws StatusError NotFound (404), Conflict (409) where others always came first, RequestEntityTooLarge (413), what a conversion throws;
 *   ManyValuesError; see store-failures.ts
 */
export async function rewrite(context: ResourceContext, at: ObjectKey, { signal }: ReadOptions): Promise<boolean> {
  let isWritten = false;
  const tries = new AdmittedWrite(undefined, { dryRun: false, warn() {} }, () => generateUid(context.randomness));
  const request = {
    operation: "update",
    path: objectPath(at.namespace, at.name),
    name: at.name,
    dryRun: false,
    // Who owns fields is a part of what clients see.
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
