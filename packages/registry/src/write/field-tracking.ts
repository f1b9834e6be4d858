// Records in managedFields which manager wrote which fields, before admission. Fields that admission changes get no
// manager. Source: Kubernetes documentation, "Server-Side Apply", "Field management".

import { type Subresource, timestamp, trackUpdate, writableMeta } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import type { ResourceContext } from "../context/resource-context";
import type { WriteContext } from "../contract/operations";

const NOBODY_KNOWN = "unknown";

/** The writer of fields, and the subresource of the write. */
export type FieldWriter = Pick<WriteContext, "manager" | "version"> & {
  readonly subresource?: { readonly name: string; readonly rules?: Pick<Subresource, "resets"> } | undefined;
  /** Set for the server's own changes, which no rule resets. */
  readonly isServer?: true;
};

type WriterContext = Pick<ResourceContext, "marksSubresources"> & Partial<Pick<ResourceContext, "definition">>;
type TrackingContext = Pick<ResourceContext, "tracksFields" | "clock" | "versions"> & WriterContext;

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

export function writerOf(context: WriterContext, write: FieldWriter) {
  const { manager = NOBODY_KNOWN, version, subresource } = write;
  const resets = resetsOf(context, write);
  const writer = { manager, apiVersion: version.apiVersion, ...(resets === undefined ? {} : { resets }) };
  if (subresource === undefined) return writer;
  return { ...writer, subresource: subresource.name, marksSubresource: context.marksSubresources };
}

/** Returns the fields that a write resets. Releases before 1.22, which do not mark subresources, let managers own them. */
function resetsOf({ marksSubresources, definition }: WriterContext, { version, subresource, isServer }: FieldWriter) {
  if (!marksSubresources || isServer) return undefined;
  return subresource === undefined ? definition?.strategy.resets?.(version) : subresource.rules?.resets;
}
