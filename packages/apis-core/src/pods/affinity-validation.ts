// Validation of affinity. Source: pkg/apis/core/validation/validation.go.

import {
  absentAs,
  all,
  each,
  fields,
  isAbsent,
  label1123,
  labelSelector,
  oneOf,
  type Place,
  positive,
  qualifiedName,
  type Report,
  type Rule,
  required,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { nodeSelector, nodeSelectorTerm } from "../volumes/node-selector-validation";
import { affinityLabelKeys, spreadLabelKeys } from "./label-keys-validation";

const weight: Rule<number> = (value, at, report) => {
  if (value < 1 || value > 100) report.invalid(at, value, "must be in the range 1-100");
};

const podAffinityTerm = all(
  fields<coreV1.PodAffinityTerm>({
    labelSelector,
    namespaceSelector: labelSelector,
    topologyKey: required(qualifiedName, "can not be empty"),
  }),
  ({ topologyKey, namespaces }, at, report) => {
    namespaces?.forEach((name, position) => {
      // Kubernetes reports all namespaces at one place.
      const place = report.features.since("1.26") ? at.field("namespace") : at.field("namespaces").item(position);
      label1123(name, place, report);
    });
    // Kubernetes also reports that an empty key has no valid format.
    if (isAbsent(topologyKey) && report.features.since("1.26")) qualifiedName("", at.field("topologyKey"), report);
  },
  affinityLabelKeys,
);

const podAffinity = fields<coreV1.PodAffinity>({
  requiredDuringSchedulingIgnoredDuringExecution: each(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: each(
    fields<coreV1.WeightedPodAffinityTerm>({ weight, podAffinityTerm }),
  ),
});

export const affinity: Rule<coreV1.Affinity> = fields<coreV1.Affinity>({
  nodeAffinity: fields<coreV1.NodeAffinity>({
    requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
    preferredDuringSchedulingIgnoredDuringExecution: each(
      fields<coreV1.PreferredSchedulingTerm>({ weight, preference: nodeSelectorTerm }),
    ),
  }),
  podAffinity,
  podAntiAffinity: podAffinity,
});

const actions = oneOf("DoNotSchedule", "ScheduleAnyway");

/** An absent action is not supported since 1.26, as in Kubernetes. */
const unsatisfiable = absentAs<string>("", (action, at, report) => {
  if (action === "" && !report.features.since("1.26")) report.required(at);
  else actions(action, at, report);
});

const inclusionPolicy = oneOf("Honor", "Ignore");

const inclusionPolicies: Rule<coreV1.TopologySpreadConstraint> = (constraint, at, report) => {
  for (const name of ["nodeAffinityPolicy", "nodeTaintsPolicy"] as const) {
    const policy = constraint[name];
    if (policy === undefined || !report.features.isOn("NodeInclusionPolicyInPodTopologySpread")) continue;
    inclusionPolicy(policy, at.field(name), report);
  }
  const { minDomains, whenUnsatisfiable } = constraint;
  if (minDomains === undefined) return;
  const place = at.field("minDomains");
  if (minDomains <= 0) report.invalid(place, minDomains, "must be greater than 0");
  if (whenUnsatisfiable !== "DoNotSchedule") {
    report.invalid(place, minDomains, "can only use minDomains if whenUnsatisfiable=DoNotSchedule");
  }
};

export const topologySpreadConstraints: Rule<readonly coreV1.TopologySpreadConstraint[]> = all(
  each(
    all(
      fields<coreV1.TopologySpreadConstraint>({
        maxSkew: positive,
        topologyKey: required(undefined, "can not be empty"),
        whenUnsatisfiable: unsatisfiable,
        labelSelector: (selector, at, report) => {
          if (report.features.since("1.27")) labelSelector(selector, at, report);
        },
      }),
      inclusionPolicies,
      spreadLabelKeys,
    ),
  ),
  distinctConstraints,
);

/** Reports each constraint that repeats another one. Since 1.26, that is the first one of them, as in Kubernetes. */
function distinctConstraints(list: readonly coreV1.TopologySpreadConstraint[], at: Place, report: Report): void {
  if (list.length < 2) return;
  const isFirst = report.features.since("1.26");
  const keys = list.map(({ topologyKey, whenUnsatisfiable }) => `{${topologyKey}, ${whenUnsatisfiable}}`);
  const seen = new Set<string>();
  const repeats: number[] = [];
  for (let count = 0; count < keys.length; count += 1) {
    const position = isFirst ? keys.length - 1 - count : count;
    const key = keys[position] as string;
    if (seen.has(key)) repeats.push(position);
    seen.add(key);
  }
  for (const position of repeats.sort((one, other) => one - other)) {
    report.duplicate(at.item(position).field("{topologyKey, whenUnsatisfiable}"), keys[position]);
  }
}
