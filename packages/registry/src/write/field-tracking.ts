// Notes in an object who wrote which of its fields, before admission sees it: what admission changes is nobody's.
// Source: facts, ssa.md "Request rules".

import { timestamp, trackUpdate, writableMeta } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { WriteContext } from "../registry";
import type { ResourceContext } from "../resource-context";

const NOBODY_KNOWN = "unknown";

/** Who writes, through what. */
export type FieldWriter = Pick<WriteContext, "manager" | "version"> & {
  readonly subresource?: { readonly name: string } | undefined;
};

type TrackingContext = Pick<ResourceContext, "tracksFields" | "marksSubresources" | "clock" | "versions">;

/** @param change both in the request's version; `next` gets its managedFields, `old` is undefined where the object is new */
export function trackFields(
  context: TrackingContext,
  change: { readonly old: JsonObject | undefined; readonly next: JsonObject },
  write: FieldWriter,
): void {
  if (!context.tracksFields) {
    delete writableMeta(change.next)["managedFields"];
    return;
  }
  const { old, next } = change;
  trackUpdate({
    old,
    next,
    by: writerOf(context, write),
    time: timestamp(context.clock.now()),
    versions: context.versions,
  });
}

export function writerOf(
  { marksSubresources }: Pick<ResourceContext, "marksSubresources">,
  { manager = NOBODY_KNOWN, version, subresource }: FieldWriter,
) {
  const { apiVersion } = version;
  if (subresource === undefined) return { manager, apiVersion };
  return { manager, apiVersion, subresource: subresource.name, marksSubresource: marksSubresources };
}
