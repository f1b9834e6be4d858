// Workload: templates of pod groups. Source: KEP-4671 "Gang Scheduling", pkg/registry/scheduling/workload/strategy.go.
import { ageColumn, type BuiltInResource, nameColumn } from "@orch/apis-model";
import { workloadAlphaConversion } from "./alpha-conversion";

const ofTemplates = (field: string) => [
  `spec.podGroupTemplates[].${field}`,
  `spec.compositePodGroupTemplates[].podGroupTemplates[].${field}`,
];

export const workloads = {
  group: "scheduling",
  kind: "Workload",
  plural: "workloads",
  scope: "Namespaced",
  requiredGate: "GenericWorkload",
  versions: [
    { version: "v1beta1", introduced: "1.37", deprecated: "1.40", removed: "1.43" },
    { version: "v1alpha3", introduced: "1.37" },
    { version: "v1alpha2", introduced: "1.36", removed: "1.37", conversion: workloadAlphaConversion, declares: true },
  ],
  rules: {
    nameFormat: "subdomain",
    gated: {
      CompositePodGroup: ["spec.compositePodGroupTemplates"],
      DRAWorkloadResourceClaims: ofTemplates("resourceClaims"),
      PodGroupPreemptionPolicy: [
        ...ofTemplates("preemptionPolicy"),
        "spec.compositePodGroupTemplates[].preemptionPolicy",
      ],
      TopologyAwareWorkloadScheduling: ofTemplates("schedulingConstraints"),
      WorkloadAwarePreemption: [
        "spec.podGroupTemplates[].disruptionMode",
        "spec.podGroupTemplates[].priorityClassName",
        "spec.podGroupTemplates[].priority",
      ],
    },
    declared: true,
  },
  columns: [nameColumn, ageColumn],
} as const satisfies BuiltInResource;
