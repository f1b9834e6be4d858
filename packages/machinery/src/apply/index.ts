export { type ApplyOutcome, type ApplyRequest, applyPatch } from "./apply-patch";
export type { ClientSideApply } from "./last-applied";
export { trackUpdate, type UpdateToTrack, type Writer } from "./track-update";
export type { ObjectVersions } from "./versioned-change";
