import type { BuiltInResource } from "@orch/apis-model";

export const workloads = {
  group: "scheduling",
  kind: "Workload",
  plural: "workloads",
  scope: "Namespaced",
  versions: [
    { version: "v1beta1", introduced: "1.37", deprecated: "1.40", removed: "1.43" },
    { version: "v1alpha3", introduced: "1.37" },
  ],
  rules: { nameFormat: "subdomain" },
} as const satisfies BuiltInResource;
