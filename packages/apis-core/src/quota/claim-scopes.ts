// Scopes of persistent volume claims. Source: Kubernetes documentation, "Resource Quotas", "Resource quota per
// VolumeAttributesClass".
import { isObject, type JsonObject } from "@orch/schema";
import { type ScopeRequirement, selectsName } from "./scopes";

/**
 * Returns the volume attributes classes of a claim, ordered by name: the requested one, the one in effect, and the one
 * that a modification in progress leads to.
 */
export function attributesClasses({ spec, status }: JsonObject): readonly string[] {
  const names = new Set<string>();
  const add = (name: unknown) => typeof name === "string" && name !== "" && names.add(name);
  if (isObject(spec)) add(spec["volumeAttributesClassName"]);
  if (isObject(status)) {
    add(status["currentVolumeAttributesClassName"]);
    const { modifyVolumeStatus } = status;
    if (isObject(modifyVolumeStatus)) add(modifyVolumeStatus["targetVolumeAttributesClassName"]);
  }
  return [...names].sort();
}

/** Returns whether one of the claim's classes is selected. A claim without a class has no value. */
export function claimInScope(claim: JsonObject, requirement: ScopeRequirement): boolean {
  if (requirement.scopeName !== "VolumeAttributesClass") return false;
  const names = attributesClasses(claim);
  return names.length === 0 ? selectsName(requirement, "") : names.some((name) => selectsName(requirement, name));
}
