// PodGroup: pods that are scheduled together. Source: KEP-4671 "Gang Scheduling",
// pkg/apis/scheduling/validation/validation.go, pkg/printers/internalversion/printers.go.
import {
  ageColumn,
  type BuiltInResource,
  type CellObject,
  column,
  conditions,
  nameColumn,
  type UpdateRule,
  updateValidator,
} from "@orch/apis-model";
import type { schedulingV1beta1 } from "@orch/schema";
import { podGroupAlphaConversion } from "./alpha-conversion";

type PodGroup = schedulingV1beta1.PodGroup;

const statusRules: UpdateRule<PodGroup> = ({ status = {}, spec }, _old, root, report) => {
  const at = root.field("status");
  conditions(status.conditions ?? [], at.field("conditions"), report);
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const place = at.field("resourceClaimStatuses");
  for (const [position, { name }] of (status.resourceClaimStatuses ?? []).entries()) {
    if (known.has(name)) continue;
    const detail = "must match the name of an entry in `spec.resourceClaims`";
    report.invalid(place.item(position).field("name"), name, detail);
  }
};

export const podGroups = {
  group: "scheduling",
  kind: "PodGroup",
  plural: "podgroups",
  scope: "Namespaced",
  requiredGate: "GenericWorkload",
  versions: [
    { version: "v1beta1", introduced: "1.37", deprecated: "1.40", removed: "1.43" },
    { version: "v1alpha3", introduced: "1.37" },
    { version: "v1alpha2", introduced: "1.36", removed: "1.37", conversion: podGroupAlphaConversion, declares: true },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: {
      CompositePodGroup: ["spec.parentCompositePodGroupName"],
      PodGroupPreemptionPolicy: ["spec.preemptionPolicy"],
      DRAWorkloadResourceClaims: ["spec.resourceClaims"],
      TopologyAwareWorkloadScheduling: ["spec.schedulingConstraints"],
      WorkloadAwarePreemption: ["spec.disruptionMode", "spec.priorityClassName", "spec.priority"],
    },
    declared: true,
  },
  subresources: {
    status: {
      keeps: ["spec"],
      keepsMetadata: true,
      gated: { DRAWorkloadResourceClaims: ["status.resourceClaimStatuses"] },
      validateUpdate: updateValidator<PodGroup>(statusRules),
    },
  },
  columns: [
    nameColumn,
    column<PodGroup>("Policy", "How the pods are scheduled.", ({ spec }) =>
      spec?.schedulingPolicy?.gang ? "Gang" : "Basic",
    ),
    column<PodGroup>("Workload", "The workload whose template the group was made from.", ({ spec }) => {
      return spec?.workloadRef?.workloadName ?? "<none>";
    }),
    column<PodGroup>("Status", "Whether the pods have a place.", progress),
    ageColumn,
  ],
} as const satisfies BuiltInResource;

function progress({ status }: CellObject<PodGroup>): string {
  const of = (wanted: string) => status?.conditions?.find(({ type }) => type === wanted);
  const disrupted = of("DisruptionTarget");
  if (disrupted !== undefined) return disrupted.reason ?? "";
  const scheduled = of("PodGroupScheduled");
  if (scheduled === undefined) return "Pending";
  return scheduled.status === "True" ? "Scheduled" : "Unschedulable";
}
