import type { BuiltInResource } from "@orch/apis-model";
import { policyBindingColumns } from "./policy-columns";
import { validateValidatingPolicyBinding } from "./policy-validation";
import { reservedNameWarnings } from "./reserved-name-warnings";

export const validatingAdmissionPolicyBindings = {
  group: "admissionregistration",
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
  categories: ["api-extensions"],
  scope: "Cluster",
  columns: policyBindingColumns,
  gate: "AdmissionPolicies",
  readWhole: true,
  versions: [
    { version: "v1", introduced: "1.30" },
    { version: "v1beta1", introduced: "1.28", deprecated: "1.31", removed: "1.34" },
  ],
  rules: {
    nameFormat: "subdomain",
    anyFinalizer: true,
    warnings: reservedNameWarnings,
    generationFrom: ["spec"],
    unconditionalUpdate: false,
    validate: validateValidatingPolicyBinding,
    strictFormats: {
      "spec.matchResources.namespaceSelector": "selector",
      "spec.matchResources.objectSelector": "selector",
    },
  },
} as const satisfies BuiltInResource;
