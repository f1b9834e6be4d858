import type { BuiltInResource } from "@orch/apis-model";
import { mutatingPolicyColumns } from "./policy-columns";
import { validateMutatingPolicy } from "./policy-validation";
import { reservedNameWarnings } from "./reserved-name-warnings";

export const mutatingAdmissionPolicies = {
  group: "admissionregistration",
  kind: "MutatingAdmissionPolicy",
  plural: "mutatingadmissionpolicies",
  categories: ["api-extensions"],
  scope: "Cluster",
  columns: mutatingPolicyColumns,
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
    validate: validateMutatingPolicy,
    strictFormats: {
      "spec.matchConstraints.namespaceSelector": "selector",
      "spec.matchConstraints.objectSelector": "selector",
    },
  },
} as const satisfies BuiltInResource;
