import type { BuiltInResource } from "@orch/apis-model";

export const podGroups = {
  group: "scheduling",
  kind: "PodGroup",
  plural: "podgroups",
  scope: "Namespaced",
  versions: [
    { version: "v1beta1", introduced: "1.37", deprecated: "1.40", removed: "1.43" },
    { version: "v1alpha3", introduced: "1.37" },
  ],
  rules: { nameFormat: "subdomain", initialStatus: {}, keepOnUpdate: ["status"] },
  subresources: { status: { keeps: ["spec"] } },
} as const satisfies BuiltInResource;
