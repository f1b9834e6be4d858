// Defaults of admission webhooks: v1 is strict where v1beta1 was lenient. Admission policies match like v1.
import type { DefaultRules } from "@orch/apis-model";

const V1 = {
  failurePolicy: "Fail",
  namespaceSelector: {},
  matchPolicy: "Equivalent",
  objectSelector: {},
  timeoutSeconds: 10,
} as const;

const V1BETA1 = {
  failurePolicy: "Ignore",
  namespaceSelector: {},
  sideEffects: "Unknown",
  timeoutSeconds: 30,
  admissionReviewVersions: ["v1beta1"],
  matchPolicy: "Exact",
  objectSelector: {},
} as const;

const ONCE = { reinvocationPolicy: "Never" } as const;

const RULE: DefaultRules = { fields: { scope: "*" } };
const POLICY: DefaultRules = { fields: { failurePolicy: "Fail" } };
const MATCH: DefaultRules = { fields: { namespaceSelector: {}, objectSelector: {}, matchPolicy: "Equivalent" } };

export const WEBHOOK_DEFAULTS: Readonly<Record<string, DefaultRules>> = {
  "admissionregistration/v1.ValidatingWebhook": { fields: V1 },
  "admissionregistration/v1.MutatingWebhook": { fields: { ...V1, ...ONCE } },
  "admissionregistration/v1beta1.ValidatingWebhook": { fields: V1BETA1 },
  "admissionregistration/v1beta1.MutatingWebhook": { fields: { ...V1BETA1, ...ONCE } },
  "admissionregistration/v1.RuleWithOperations": RULE,
  "admissionregistration/v1.NamedRuleWithOperations": RULE,
  "admissionregistration/v1beta1.NamedRuleWithOperations": RULE,
  "admissionregistration/v1alpha1.NamedRuleWithOperations": RULE,
  "admissionregistration/v1.ValidatingAdmissionPolicySpec": POLICY,
  "admissionregistration/v1beta1.ValidatingAdmissionPolicySpec": POLICY,
  "admissionregistration/v1.MutatingAdmissionPolicySpec": POLICY,
  "admissionregistration/v1beta1.MutatingAdmissionPolicySpec": POLICY,
  "admissionregistration/v1alpha1.MutatingAdmissionPolicySpec": POLICY,
  "admissionregistration/v1.MatchResources": MATCH,
  "admissionregistration/v1beta1.MatchResources": MATCH,
  "admissionregistration/v1alpha1.MatchResources": MATCH,
};
