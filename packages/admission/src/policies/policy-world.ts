// Parts of the world that both policy plugins read.
import type { AdmissionWorld } from "../world";
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
] as const satisfies readonly (keyof AdmissionWorld)[];

export type PolicyWorld = Pick<AdmissionWorld, (typeof POLICY_READS)[number]>;

/** Feature gate of the policies. While it is disabled, no policy is evaluated. */
export const POLICY_GATE = "AdmissionPolicies";

const RESOURCES = {
  ValidatingAdmissionPolicy: ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
  MutatingAdmissionPolicy: ["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"],
} as const;

export function knownPolicies({ vocabulary, objects }: PolicyWorld, kind: keyof typeof RESOURCES): KnownPolicies {
  const [policies, bindings] = RESOURCES[kind];
  const followed = (resource: string) => objects.followed({ group: vocabulary.groups.admissionregistration, resource });
  return new KnownPolicies({ policies: followed(policies), bindings: followed(bindings) }, vocabulary);
}
