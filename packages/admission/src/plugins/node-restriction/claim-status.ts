// Updates of persistent volume claims by a kubelet: it may report the size of the volume and the progress of a resize.
import { type AdmissionRequest, sameJson } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { said } from "./node-rule";

export interface ClaimOptions {
  /** Whether the feature RecoverVolumeExpansionFailure is enabled; the status has more fields then. */
  readonly recovers: boolean;
}

const STATUS = ["capacity", "conditions"];
const RECOVERY_STATUS = ["allocatedResources", "resizeStatus"];
/** Metadata fields that the server maintains. */
const METADATA = ["resourceVersion", "managedFields"];

export function claimProblem(
  { subresource, operation, object = {}, oldObject = {} }: AdmissionRequest,
  node: string,
  { recovers }: ClaimOptions,
): string | undefined {
  if (subresource !== "status") return "may only update PVC status";
  if (operation !== "UPDATE") return `unexpected operation ${said(operation)}`;
  const [before, after] = [oldObject, object].map((claim) => withoutAt(claim, "metadata", METADATA));
  if (!sameJson(before?.["metadata"] ?? {}, after?.["metadata"] ?? {}))
    return `node ${said(node)} is not allowed to update persistentvolumeclaim metadata`;
  const free = [...STATUS, ...(recovers ? RECOVERY_STATUS : [])];
  const [rest = {}, other = {}] = [before, after].map((claim) => withoutAt(claim ?? {}, "status", free));
  const changed = [...new Set([...Object.keys(rest), ...Object.keys(other)])].filter(
    (part) => !sameJson(rest[part] ?? null, other[part] ?? null),
  );
  if (changed.length === 0) return undefined;
  return `node ${said(node)} is not allowed to update fields other than status.capacity and status.conditions: ${changed.join(", ")}`;
}

/** Returns a copy without the given fields of a part, and without the part when it becomes empty. */
function withoutAt(claim: JsonObject, part: string, fields: readonly string[]): JsonObject {
  const { [part]: value, ...others } = claim;
  const kept = Object.entries(isObject(value) ? value : {}).filter(([field]) => !fields.includes(field));
  return kept.length === 0 ? others : { ...others, [part]: Object.fromEntries(kept) };
}
