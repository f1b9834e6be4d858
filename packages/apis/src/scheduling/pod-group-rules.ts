// Rules that pod groups and the templates of workloads share. Source: staging/src/k8s.io/api/scheduling/v1alpha2/types.go
// (declarative validation tags), pkg/apis/scheduling/validation/validation.go.
import {
  absentAs,
  all,
  each,
  fields,
  ifSet,
  label1123,
  type Place,
  qualifiedName,
  type Report,
  type Rule,
  required,
  subdomain,
  unique,
} from "@orch/apis-model";
import type { schedulingV1beta1 } from "@orch/schema";

type Template = schedulingV1beta1.PodGroupTemplate;

const CLAIMS_MAX = 4;
const TEMPLATES_MAX = 8;
const PRIORITY_MAX = 1_000_000_000;

/** Limits the number of items. */
const maxItems =
  <T>(max: number): Rule<readonly T[]> =>
  (list, at, report) => {
    if (list.length > max) report.tooMany(at, { count: list.length, max });
  };

/** Requires exactly one member of a union. Kubernetes reports both breaches on the union itself. */
const oneMember =
  <T extends object>(...names: readonly (keyof T & string)[]): Rule<T> =>
  (value, at, report) => {
    const set = names.filter((name) => value[name] !== undefined && value[name] !== null);
    if (set.length === 1) return;
    const wanted = names.map((name) => `\`${name}\``).join(", ");
    report.invalid(at, set.length === 0 ? "" : `{${set.join(", ")}}`, `must specify exactly one of: ${wanted}`);
  };

const policy: Rule<schedulingV1beta1.PodGroupSchedulingPolicy> = all(
  oneMember<schedulingV1beta1.PodGroupSchedulingPolicy>("basic", "gang"),
  fields<schedulingV1beta1.PodGroupSchedulingPolicy>({
    gang: fields<schedulingV1beta1.GangSchedulingPolicy>({
      minCount: absentAs(0, (count, at, report) => {
        if (count === 0) report.required(at);
        else if (count < 1) report.invalid(at, count, "must be greater than or equal to 1");
      }),
    }),
  }),
);

const claim: Rule<schedulingV1beta1.PodGroupResourceClaim> = all(
  oneMember<schedulingV1beta1.PodGroupResourceClaim>("resourceClaimName", "resourceClaimTemplateName"),
  fields<schedulingV1beta1.PodGroupResourceClaim>({
    name: required(label1123),
    resourceClaimName: subdomain,
    resourceClaimTemplateName: subdomain,
  }),
);

type GroupRules = Pick<
  Template,
  "schedulingPolicy" | "schedulingConstraints" | "resourceClaims" | "disruptionMode" | "priorityClassName" | "priority"
>;

/** Rules of the fields that a group has from its template. */
export const groupRules: Rule<GroupRules> = fields<GroupRules>({
  schedulingPolicy: absentAs({}, policy),
  schedulingConstraints: fields<schedulingV1beta1.PodGroupSchedulingConstraints>({
    topology: all(maxItems(1), each(fields<schedulingV1beta1.TopologyConstraint>({ key: required(qualifiedName) }))),
  }),
  resourceClaims: all(
    maxItems(CLAIMS_MAX),
    unique(({ name }) => name),
    each(claim),
  ),
  disruptionMode: disruptionMode,
  priorityClassName: ifSet(subdomain),
  priority: (value, at, report) => {
    if (value > PRIORITY_MAX) report.invalid(at, value, `must be less than or equal to ${PRIORITY_MAX}`);
  },
});

/** v1alpha2 has a word in place of a union. */
function disruptionMode(mode: schedulingV1beta1.DisruptionMode, at: Place, report: Report) {
  if (report.version.version !== "v1alpha2") return modeMembers(mode, at, report);
  if (Object.keys(mode).length === 0) report.notSupported(at, "", ["Pod", "PodGroup"]);
}

const modeMembers = oneMember<schedulingV1beta1.DisruptionMode>("single", "all");

export const templateRules: Rule<readonly Template[]> = all(
  maxItems(TEMPLATES_MAX),
  unique(({ name }) => name),
  each(all<Template>(fields<Template>({ name: required(label1123) }), groupRules)),
);
