// Dependencies that both policy plugins read.
import type { AdmissionRequest } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { AdmissionDependencies, ObjectLister } from "../contract/dependencies";
import { CONFIGURATIONS, MANIFEST_GATE, manifestLister } from "../requests/manifest-configurations";
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

/** Policies by the requests that they are evaluated for. */
export interface PolicySources {
  /** Returns the policies for a request; undefined when none is evaluated for requests of its kind. */
  for(request: AdmissionRequest): KnownPolicies | undefined;
}

/**
 * Returns the policies of a kind. For kinds that configure admission, those of manifest files alone are evaluated, because
 * a mistake in another policy could not be corrected otherwise. Source: Kubernetes documentation, "Validating Admission
 * Policy".
 */
export function policySources(
  { vocabulary, objects, options }: PolicyDependencies,
  kind: keyof typeof RESOURCES,
): PolicySources {
  const [policies, bindings] = RESOURCES[kind];
  const lister = (resource: string) => objects.lister({ group: vocabulary.groups.admissionregistration, resource });
  const [ofPolicies, ofBindings] = [lister(policies), lister(bindings)];
  const known = new KnownPolicies({ policies: ofPolicies, bindings: ofBindings }, vocabulary);
  const fromManifests = (of: ObjectLister) => manifestLister(of, vocabulary);
  const ofManifests = options.isOn(MANIFEST_GATE)
    ? new KnownPolicies({ policies: fromManifests(ofPolicies), bindings: fromManifests(ofBindings) }, vocabulary)
    : undefined;
  const isConfiguration = configurationKinds(vocabulary);
  return { for: (request) => (isConfiguration(request) ? ofManifests : known) };
}

/** Returns a test for kinds that configure admission. */
const configurationKinds =
  ({ groups }: Vocabulary) =>
  ({ definition }: Pick<AdmissionRequest, "definition">): boolean =>
    definition.group === groups.admissionregistration && KINDS.has(definition.plural);

const KINDS: ReadonlySet<string> = new Set(CONFIGURATIONS);
