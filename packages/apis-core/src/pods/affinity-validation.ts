// Validation of affinity. Source: pkg/apis/core/validation/validation.go.

import {
  all,
  each,
  fields,
  label1123,
  labelSelector,
  oneOf,
  positive,
  qualifiedName,
  type Rule,
  required,
  unique,
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
    namespaces: each(label1123),
    topologyKey: required(qualifiedName, "can not be empty"),
  }),
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
        whenUnsatisfiable: required(oneOf("DoNotSchedule", "ScheduleAnyway")),
        labelSelector: (selector, at, report) => {
          if (report.features.since("1.27")) labelSelector(selector, at, report);
        },
      }),
      inclusionPolicies,
      spreadLabelKeys,
    ),
  ),
  unique(({ topologyKey, whenUnsatisfiable }) => `{${topologyKey}, ${whenUnsatisfiable}}`, {
    field: "{topologyKey, whenUnsatisfiable}",
  }),
);
