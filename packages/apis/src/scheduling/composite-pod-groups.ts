import type { BuiltInResource } from "@orch/apis-model";

export const compositePodGroups = {
  group: "scheduling",
  kind: "CompositePodGroup",
  plural: "compositepodgroups",
  scope: "Namespaced",
  requiredGate: "CompositePodGroup",
  versions: [{ version: "v1alpha3", introduced: "1.37" }],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: { PodGroupPreemptionPolicy: ["spec.preemptionPolicy"] },
    declared: true,
  },
  subresources: { status: { keeps: ["spec"] } },
} as const satisfies BuiltInResource;
