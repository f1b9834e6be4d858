// PodGroup: pods that are scheduled together. Source: KEP-4671 "Gang Scheduling",
// pkg/apis/scheduling/validation/validation.go, pkg/printers/internalversion/printers.go.
import {
  ageColumn,
  all,
  type BuiltInResource,
  type CellObject,
  column,
  conditions,
  fields,
  immutable,
  label1123,
  nameColumn,
  type Place,
  type Report,
  type Rule,
  subdomain,
  type UpdateRule,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { schedulingV1beta1 } from "@orch/schema";
import { podGroupAlphaConversion } from "./alpha-conversion";
import { groupRules } from "./pod-group-rules";

type PodGroup = schedulingV1beta1.PodGroup;
type Spec = schedulingV1beta1.PodGroupSpec;

interface ReferencePlaces {
  readonly reference: Place;
  readonly workload: Place;
  readonly template: Place;
}

/** Places of the reference to the template, which v1alpha2 nests. */
function referencePlaces(spec: Place, { version }: Report): ReferencePlaces {
  const isAlpha = version.version === "v1alpha2";
  const reference = spec.field(isAlpha ? "podGroupTemplateRef" : "workloadRef");
  const holder = isAlpha ? reference.field("workload") : reference;
  return {
    reference,
    workload: holder.field("workloadName"),
    template: holder.field(isAlpha ? "podGroupTemplateName" : "templateName"),
  };
}

const template: Rule<Spec> = ({ workloadRef }, at, report) => {
  if (workloadRef === undefined || workloadRef === null) return;
  const places = referencePlaces(at, report);
  if (workloadRef.workloadName === "") report.required(places.workload);
  else subdomain(workloadRef.workloadName, places.workload, report);
  if (workloadRef.templateName === "") report.required(places.template);
  else label1123(workloadRef.templateName, places.template, report);
};

const FIXED = [
  "schedulingPolicy",
  "schedulingConstraints",
  "resourceClaims",
  "disruptionMode",
  "priorityClassName",
  "priority",
] as const satisfies readonly (keyof Spec)[];

const fixedSpec: UpdateRule<PodGroup> = ({ spec: next }, { spec: old }, root, report) => {
  const at = root.field("spec");
  immutable(next.workloadRef, old.workloadRef, referencePlaces(at, report).reference, report);
  for (const name of FIXED) immutable(next[name], old[name], at.field(name), report);
};

const statusRules: UpdateRule<PodGroup> = ({ status = {}, spec }, _old, root, report) => {
  const at = root.field("status");
  conditions(status.conditions ?? [], at.field("conditions"), report);
  const known = new Set((spec.resourceClaims ?? []).map(({ name }) => name));
  const place = at.field("resourceClaimStatuses");
  for (const [position, { name, resourceClaimName }] of (status.resourceClaimStatuses ?? []).entries()) {
    const item = place.item(position);
    if (!known.has(name)) {
      report.invalid(item.field("name"), name, "must match the name of an entry in `spec.resourceClaims`");
    }
    if (resourceClaimName) subdomain(resourceClaimName, item.field("resourceClaimName"), report);
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
    { version: "v1alpha2", introduced: "1.36", removed: "1.37", conversion: podGroupAlphaConversion },
  ],
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    gated: {
      DRAWorkloadResourceClaims: ["spec.resourceClaims"],
      TopologyAwareWorkloadScheduling: ["spec.schedulingConstraints"],
      WorkloadAwarePreemption: ["spec.disruptionMode", "spec.priorityClassName", "spec.priority"],
    },
    validate: validator(fields<PodGroup>({ spec: all<Spec>(template, groupRules) })),
    validateUpdate: updateValidator<PodGroup>(fixedSpec),
  },
  subresources: {
    status: { keeps: ["spec"], keepsMetadata: true, validateUpdate: updateValidator<PodGroup>(statusRules) },
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
