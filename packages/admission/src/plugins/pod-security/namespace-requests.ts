// Writes of namespace labels: validates the labels and warns about existing pods that a stricter level would refuse.
// Source: KEP-2579, "Pod Security Admission Control".
import { type AdmissionRequest, field, invalid, labelsOf } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { MODES, type ModePolicies } from "./configuration";
import { existingPodWarnings } from "./existing-pods";
import { isSamePolicy, isStricter } from "./level-version";
import { isFullyPrivileged, type NamespacePolicy, namespacePolicy, statedPolicyText } from "./namespace-policy";
import { annotateExemption, type PodSecurityContext } from "./pod-security-context";

/**
 * Handles a write of a namespace. @throws StatusError Invalid (422) for invalid labels, unless the stored labels have
 * the same errors
 */
export function handleNamespace(context: PodSecurityContext, request: AdmissionRequest): void | Promise<void> {
  const { configuration, labels: keys } = context;
  const policyOf = (object: JsonObject | undefined): NamespacePolicy =>
    namespacePolicy(labelsOf(object ?? {}), keys, configuration.defaults);
  const next = policyOf(request.object);
  const old = request.operation === "UPDATE" ? policyOf(request.oldObject) : undefined;
  if (next.errors.length > 0 && (old === undefined || errorsText(old) !== errorsText(next))) {
    throw invalid({ group: "", kind: "Namespace" }, request.name, next.errors);
  }
  if (old !== undefined && !asksForMore(next.modes, old.modes)) return;
  if (configuration.exemptions.namespaces.has(request.name)) return warnOfExemption(context, request, next);
  if (old === undefined) return;
  return existingPodWarnings(context, request, next.modes.enforce).then((warnings) => {
    for (const warning of warnings) request.warn(warning);
  });
}

const errorsText = ({ errors }: NamespacePolicy): string => errors.map(field.fieldErrorText).join("\n");

/** Returns whether the new policy may refuse pods that the old one admitted. */
function asksForMore({ enforce: next }: ModePolicies, { enforce: old }: ModePolicies): boolean {
  if (isSamePolicy(next, old) || next.level === "privileged") return false;
  return next.version !== old.version || isStricter(next.level, old.level);
}

function warnOfExemption(context: PodSecurityContext, request: AdmissionRequest, { modes }: NamespacePolicy): void {
  annotateExemption(context, request, "namespace");
  const { configuration, labels: keys } = context;
  if (isFullyPrivileged(modes) || isDefault(modes, configuration.defaults)) return;
  const stated = statedPolicyText(modes, labelsOf(request.object ?? {}), keys);
  request.warn(
    `namespace ${JSON.stringify(request.name)} is exempt from Pod Security, and the policy (${stated}) will be ignored`,
  );
}

const isDefault = (modes: ModePolicies, defaults: ModePolicies): boolean =>
  MODES.every((mode) => isSamePolicy(modes[mode], defaults[mode]));
