// Dependencies that both policy plugins read.
import type { AdmissionRequest } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { AdmissionDependencies } from "../contract/dependencies";
import { KnownPolicies } from "./known-policies";

export const POLICY_READS = [
  "vocabulary",
  "release",
  "objects",
  "kinds",
  "authorizer",
  "options",
  "conversion",
  "policyObserver",
  "valuesHere",
] as const satisfies readonly (keyof AdmissionDependencies)[];

export type PolicyDependencies = Pick<AdmissionDependencies, (typeof POLICY_READS)[number]>;

/** Feature gate of the policies. While it is disabled, no policy is evaluated. */
export const POLICY_GATE = "AdmissionPolicies";

const RESOURCES = {
  ValidatingAdmissionPolicy: ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
  MutatingAdmissionPolicy: ["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"],
} as const;

export function knownPolicies(
  { vocabulary, objects }: PolicyDependencies,
  kind: keyof typeof RESOURCES,
): KnownPolicies {
  const [policies, bindings] = RESOURCES[kind];
  const lister = (resource: string) => objects.lister({ group: vocabulary.groups.admissionregistration, resource });
  return new KnownPolicies({ policies: lister(policies), bindings: lister(bindings) }, vocabulary);
}

/**
 * Returns a test for kinds that configure admission. Policies are not evaluated for them, because a mistake in a policy
 * could not be corrected otherwise. Source: Kubernetes documentation, "Validating Admission Policy".
 */
export const configurationKinds =
  ({ groups }: Vocabulary) =>
  ({ definition }: Pick<AdmissionRequest, "definition">): boolean =>
    definition.group === groups.admissionregistration && KINDS.has(definition.plural);

const KINDS: ReadonlySet<string> = new Set([
  "validatingwebhookconfigurations",
  "mutatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);
