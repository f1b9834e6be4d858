import type { BuiltInResource } from "@orch/apis-model";
import { validateClusterRole } from "./policy-rule-validation";

export const clusterRoles = {
  group: "rbac",
  kind: "ClusterRole",
  plural: "clusterroles",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.8" },
    { version: "v1beta1", introduced: "1.6", deprecated: "1.17", removed: "1.22", replacement: "rbac/v1" },
    { version: "v1alpha1", introduced: "1.6", deprecated: "1.17", removed: "1.22", replacement: "rbac/v1" },
  ],
  readWhole: true,
  rules: {
    nameFormat: "pathSegment",
    createOnUpdate: true,
    validate: validateClusterRole,
    strictFormats: { "aggregationRule.clusterRoleSelectors[]": "selector" },
  },
} as const satisfies BuiltInResource;
