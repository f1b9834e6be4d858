// Policies and bindings in v1. v1beta1 has the same shape.
import type { admissionregistrationV1 } from "@orch/schema";

export type ValidatingPolicySpec = admissionregistrationV1.ValidatingAdmissionPolicySpec;
export type MutatingPolicySpec = admissionregistrationV1.MutatingAdmissionPolicySpec;
export type MatchResources = admissionregistrationV1.MatchResources;

/** Fields of both kinds of policies. */
export type PolicySpec = Pick<
  ValidatingPolicySpec,
  "paramKind" | "matchConstraints" | "matchConditions" | "failurePolicy" | "variables"
>;

/** Fields of both kinds of bindings. Only bindings of validating policies have actions. */
export type BindingSpec = Pick<
  admissionregistrationV1.ValidatingAdmissionPolicyBindingSpec,
  "policyName" | "paramRef" | "matchResources"
> & { readonly validationActions?: readonly string[] };
