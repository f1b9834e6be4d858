// What all parts of the plugin go by.
import type { AdmissionRequest } from "@orch/machinery";
import type { Vocabulary } from "@orch/schema";
import type { AdmissionClock, ObjectReader } from "../../world";
import type { PodSecurityConfiguration } from "./configuration";
import type { PodEvaluation } from "./evaluation";
import { type Labels, type NamespacePolicy, namespacePolicy, type PolicyLabels } from "./namespace-policy";
import type { PodSecurityCounts } from "./pod-security-counts";

export interface PodSecurityContext {
  readonly vocabulary: Vocabulary;
  /** The newest whose rules are known: that which is emulated. */
  readonly release: string;
  readonly objects: ObjectReader;
  readonly clock: AdmissionClock;
  readonly counts: PodSecurityCounts;
  readonly configuration: PodSecurityConfiguration;
  readonly labels: PolicyLabels;
  readonly evaluation: PodEvaluation;
  /** Of labels that pods were judged by, as long as somebody has them. */
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

/** Says that nobody looks, and why. */
export function tellExemption(
  { vocabulary }: PodSecurityContext,
  request: AdmissionRequest,
  why: "namespace" | "user" | "runtimeClass",
): void {
  request.annotate(vocabulary.auditAnnotations.podSecurityExempt, why);
}
