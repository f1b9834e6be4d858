// Validation of roles and cluster roles: rules over resources or paths. Values are free text. Source:
// pkg/apis/rbac/validation/validation.go.

import { all, each, fields, isExact, labelSelector, type Rule, required, validator } from "@orch/apis-model";
import { labelSelectorErrors, labelValueErrors } from "@orch/machinery";
import type { JsonObject, metaV1, rbacV1 } from "@orch/schema";

export const validateRole = validator(fields<rbacV1.Role>({ rules: each(policyRule("Namespaced")) }));

/** Selector of aggregated roles. Exact errors of one that selects nothing include one for the whole. */
const aggregated: Rule<metaV1.LabelSelector> = (selector, at, report) => {
  labelSelector(selector, at, report);
  if (!isExact(report)) return;
  const values = (selector.matchExpressions ?? []).flatMap(({ values }) => values ?? []);
  const isFlawed =
    labelSelectorErrors(selector as unknown as JsonObject, "").length > 0 ||
    values.some((value) => labelValueErrors(value).length > 0);
  if (isFlawed) report.invalid(at, selector, "invalid label selector.");
};

export const validateClusterRole = validator(
  fields<rbacV1.ClusterRole>({
    rules: each(policyRule("Cluster")),
    aggregationRule: fields<rbacV1.AggregationRule>({
      clusterRoleSelectors: required(each(aggregated), "roles are aggregated by at least one selector"),
    }),
  }),
);

function policyRule(scope: "Namespaced" | "Cluster"): Rule<rbacV1.PolicyRule> {
  const verbs = fields<rbacV1.PolicyRule>({ verbs: required(undefined, "verbs must contain at least one value") });
  const overPaths = overPathsIn(scope);
  return all<rbacV1.PolicyRule>(verbs, (rule, at, report) => {
    if ((rule.nonResourceURLs ?? []).length > 0) overPaths(rule, at, report);
    else overResources(rule, at, report);
  });
}

const overResources = fields<rbacV1.PolicyRule>({
  apiGroups: required(undefined, "resource rules must supply at least one API group"),
  resources: required(undefined, "resource rules must supply at least one resource"),
});

function overPathsIn(scope: "Namespaced" | "Cluster"): Rule<rbacV1.PolicyRule> {
  return ({ nonResourceURLs, apiGroups = [], resources = [], resourceNames = [] }, at, report) => {
    const place = at.field("nonResourceURLs");
    if (scope === "Namespaced") {
      report.invalid(place, nonResourceURLs, "namespaced rules cannot apply to non-resource URLs");
    }
    if (apiGroups.length + resources.length + resourceNames.length > 0) {
      report.invalid(place, nonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs");
    }
  };
}
