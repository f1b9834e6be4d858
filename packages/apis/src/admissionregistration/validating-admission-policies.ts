import type { BuiltInResource } from "@orch/apis-model";
import { validatingPolicyColumns } from "./policy-columns";
import { validateValidatingPolicy, validateValidatingPolicyStatus } from "./policy-validation";
import { reservedNameWarnings } from "./reserved-name-warnings";

export const validatingAdmissionPolicies = {
  group: "admissionregistration",
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
  categories: ["api-extensions"],
  scope: "Cluster",
  columns: validatingPolicyColumns,
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
    initialStatus: {},
    keepOnUpdate: ["status"],
    generationFrom: ["spec"],
    unconditionalUpdate: false,
    validate: validateValidatingPolicy,
    strictFormats: {
      "spec.matchConstraints.namespaceSelector": "selector",
      "spec.matchConstraints.objectSelector": "selector",
    },
  },
  subresources: { status: { keeps: ["spec"], validateUpdate: validateValidatingPolicyStatus } },
} as const satisfies BuiltInResource;
