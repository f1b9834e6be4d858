// State shared by the parts of the plugin.
import type { AdmissionRequest } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { AdmissionClock, ObjectReader } from "../../contract/dependencies";
import type { PodSecurityConfiguration } from "./configuration";
import type { PodEvaluation } from "./evaluation";
import { type Labels, type NamespacePolicy, namespacePolicy, type PolicyLabels } from "./namespace-policy";
import type { PodSecurityCounts } from "./pod-security-counts";

export interface PodSecurityContext {
  readonly vocabulary: Vocabulary;
  /** Newest release whose rules are known: the emulated one. */
  readonly release: string;
  readonly objects: ObjectReader;
  readonly clock: AdmissionClock;
  readonly counts: PodSecurityCounts;
  readonly configuration: PodSecurityConfiguration;
  readonly labels: PolicyLabels;
  readonly evaluation: PodEvaluation;
  /** Policies, cached by the labels object. */
  readonly known: WeakMap<Labels, NamespacePolicy>;
}

export function policyIn({ configuration, labels: keys, known }: PodSecurityContext, labels: Labels): NamespacePolicy {
  let policy = known.get(labels);
  if (policy === undefined) {
    policy = namespacePolicy(labels, keys, configuration.defaults);
    known.set(labels, policy);
  }
  return policy;
}

/** Adds the audit annotation for an exemption. */
export function annotateExemption(
  { vocabulary }: PodSecurityContext,
  request: AdmissionRequest,
  why: "namespace" | "user" | "runtimeClass",
): void {
  request.annotate(vocabulary.auditAnnotations.podSecurityExempt, why);
}
