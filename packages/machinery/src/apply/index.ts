// Server-side apply and the tracking of field ownership. Pure: the caller reads, converts, validates and stores.
//
//   apply    body ─ applied-value ─▶ config ─ merge ─▶ merged ─ withdraw (prune) ─▶ wanted ─ compare ─▶ conflicts, new owners
//   update   old, next ─ compare ─▶ written and removed paths ─▶ new owners
//
// Types are represented as merge shapes (merge-shape.ts), ownership as field sets (field-set.ts, fields-v1.ts,
// managed-fields.ts).
export { type ApplyRequest, applyPatch } from "./apply-patch";
export { type ChangedPaths, changedPaths } from "./changed-paths";
export { laidOver } from "./laid-over";
export type { ClientSideApply } from "./last-applied";
export { differInTimes, managedFieldsOf } from "./managed-fields";
export type { ItemOrder } from "./merge";
export { trackUpdate, type UpdateToTrack, type Writer } from "./track-update";
export type { ObjectVersions } from "./versioned-change";
