import type { BuiltInResource } from "../built-in-resource";

export const priorityClasses = {
  group: "scheduling",
  kind: "PriorityClass",
  plural: "priorityclasses",
  shortNames: ["pc"],
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.14" },
    { version: "v1beta1", introduced: "1.11", deprecated: "1.14", removed: "1.22", replacement: "scheduling/v1" },
  ],
  defaults: { fields: { preemptionPolicy: "PreemptLowerPriority" } },
  rules: { nameFormat: "subdomain", generationFrom: [] },
} as const satisfies BuiltInResource;
