import type { BuiltInResource } from "@orch/apis-model";
import { bindingColumns } from "./binding-columns";
import { validateClusterRoleBinding } from "./binding-validation";
import { subjectConversion } from "./subject-conversion";

export const clusterRoleBindings = {
  group: "rbac",
  kind: "ClusterRoleBinding",
  plural: "clusterrolebindings",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.8" },
    { version: "v1beta1", introduced: "1.6", deprecated: "1.17", removed: "1.22", replacement: "rbac/v1" },
    {
      version: "v1alpha1",
      introduced: "1.6",
      deprecated: "1.17",
      removed: "1.22",
      replacement: "rbac/v1",
      conversion: subjectConversion,
    },
  ],
  readWhole: true,
  rules: {
    nameFormat: "pathSegment",
    createOnUpdate: true,
    validate: validateClusterRoleBinding,
    declared: true,
  },
  columns: bindingColumns,
} as const satisfies BuiltInResource;
