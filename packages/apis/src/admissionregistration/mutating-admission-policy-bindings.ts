import type { BuiltInResource } from "@orch/apis-model";
import { policyBindingColumns } from "./policy-columns";
import { validateMutatingPolicyBinding } from "./policy-validation";
import { reservedNameWarnings } from "./reserved-name-warnings";

export const mutatingAdmissionPolicyBindings = {
  group: "admissionregistration",
  kind: "MutatingAdmissionPolicyBinding",
  plural: "mutatingadmissionpolicybindings",
  categories: ["api-extensions"],
  scope: "Cluster",
  columns: policyBindingColumns,
  gate: "AdmissionPolicies",
  readWhole: true,
  versions: [
    { version: "v1", introduced: "1.36" },
    {
      version: "v1beta1",
      introduced: "1.34",
      deprecated: "1.37",
      removed: "1.40",
      replacement: "admissionregistration/v1",
    },
    { version: "v1alpha1", introduced: "1.32", deprecated: "1.35", removed: "1.38" },
  ],
  rules: {
    nameFormat: "subdomain",
    anyFinalizer: true,
    warnings: reservedNameWarnings,
    generationFrom: ["spec"],
    unconditionalUpdate: false,
    validate: validateMutatingPolicyBinding,
    strictFormats: {
      "spec.matchResources.namespaceSelector": "selector",
      "spec.matchResources.objectSelector": "selector",
    },
  },
} as const satisfies BuiltInResource;
