// Workload: templates of pod groups. Source: KEP-4671 "Gang Scheduling", pkg/registry/scheduling/workload/strategy.go.
import {
  absentAs,
  ageColumn,
  type BuiltInResource,
  fields,
  ifSet,
  immutable,
  nameColumn,
  pathSegment,
  required,
  subdomain,
  type UpdateRule,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { schedulingV1beta1 } from "@orch/schema";
import { workloadAlphaConversion } from "./alpha-conversion";
import { templateRules } from "./pod-group-rules";

type Workload = schedulingV1beta1.Workload;
type Spec = schedulingV1beta1.WorkloadSpec;

const templates = (spec: Spec): readonly unknown[] => spec.podGroupTemplates ?? [];

const fixedSpec: UpdateRule<Workload> = ({ spec: next }, { spec: old }, root, report) => {
  const at = root.field("spec");
  immutable(next.controllerRef, old.controllerRef, at.field("controllerRef"), report);
  immutable(templates(next), templates(old), at.field("podGroupTemplates"), report);
};

export const workloads = {
  group: "scheduling",
  kind: "Workload",
  plural: "workloads",
  scope: "Namespaced",
  requiredGate: "GenericWorkload",
  versions: [
    { version: "v1beta1", introduced: "1.37", deprecated: "1.40", removed: "1.43" },
    { version: "v1alpha3", introduced: "1.37" },
    { version: "v1alpha2", introduced: "1.36", removed: "1.37", conversion: workloadAlphaConversion },
  ],
  rules: {
    nameFormat: "subdomain",
    gated: {
      DRAWorkloadResourceClaims: ["spec.podGroupTemplates[].resourceClaims"],
      TopologyAwareWorkloadScheduling: ["spec.podGroupTemplates[].schedulingConstraints"],
      WorkloadAwarePreemption: [
        "spec.podGroupTemplates[].disruptionMode",
        "spec.podGroupTemplates[].priorityClassName",
        "spec.podGroupTemplates[].priority",
      ],
    },
    validate: validator(
      fields<Workload>({
        spec: fields<Spec>({
          controllerRef: fields<schedulingV1beta1.TypedLocalObjectReference>({
            apiGroup: ifSet(subdomain),
            kind: required(pathSegment),
            name: required(pathSegment),
          }),
          podGroupTemplates: absentAs([], (list, at, report) => {
            if (list.length > 0) templateRules(list, at, report);
            // Later versions also have templates of composite groups.
            else if (report.version.version === "v1alpha2") report.required(at);
          }),
        }),
      }),
    ),
    validateUpdate: updateValidator<Workload>(fixedSpec),
  },
  columns: [nameColumn, ageColumn],
} as const satisfies BuiltInResource;
