// Records in managedFields which manager wrote which fields, before admission. Fields that admission changes get no
// manager. Source: Kubernetes documentation, "Server-Side Apply", "Field management".

import { timestamp, trackUpdate, writableMeta } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { WriteContext } from "../contract/registry";

const NOBODY_KNOWN = "unknown";

/** The writer of fields, and the subresource of the write. */
export type FieldWriter = Pick<WriteContext, "manager" | "version"> & {
  readonly subresource?: { readonly name: string } | undefined;
};

type TrackingContext = Pick<ResourceContext, "tracksFields" | "marksSubresources" | "clock" | "versions">;

/**
 * Updates the managedFields. @param change both in the request's version; sets the managedFields of `next`; `old` is
 * undefined for a new object
 */
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
