// Policies and bindings as their kinds have them, in v1: v1beta1 has the same shape.
import type { admissionregistrationV1 } from "@orch/schema";

export type ValidatingPolicySpec = admissionregistrationV1.ValidatingAdmissionPolicySpec;
export type MutatingPolicySpec = admissionregistrationV1.MutatingAdmissionPolicySpec;
export type MatchResources = admissionregistrationV1.MatchResources;
export type ParamKind = admissionregistrationV1.ParamKind;
export type ParamRef = admissionregistrationV1.ParamRef;
export type Validation = admissionregistrationV1.Validation;

/** What both kinds of policies have. */
export type PolicySpec = Pick<
  ValidatingPolicySpec,
  "paramKind" | "matchConstraints" | "matchConditions" | "failurePolicy" | "variables"
>;

/** What both kinds of bindings have; only those of validating policies have actions. */
export type BindingSpec = Pick<
  admissionregistrationV1.ValidatingAdmissionPolicyBindingSpec,
  "policyName" | "paramRef" | "matchResources"
> & { readonly validationActions?: readonly string[] };
