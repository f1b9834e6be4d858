// What an agent may say of a volume claim: how large its volume has become, and how its resizing goes.
import { type AdmissionRequest, sameJson } from "@orch/machinery";
import { isObject, type JsonObject } from "@orch/schema";
import { said } from "./node-rule";

export interface ClaimOptions {
  /** Whether resizing that failed can be taken back: the status then says more of it. */
  readonly recovers: boolean;
}

const STATUS = ["capacity", "conditions"];
const RECOVERY_STATUS = ["allocatedResources", "resizeStatus"];
/** Which the server keeps. */
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

/** A part without those fields; an empty one is none. */
function withoutAt(claim: JsonObject, part: string, fields: readonly string[]): JsonObject {
  const { [part]: value, ...others } = claim;
  const kept = Object.entries(isObject(value) ? value : {}).filter(([field]) => !fields.includes(field));
  return kept.length === 0 ? others : { ...others, [part]: Object.fromEntries(kept) };
}
