// Validation of node selectors, as affinity and volumes use them. Source: pkg/apis/core/validation/validation.go.

import { absentAs, all, each, fields, qualifiedName, type Rule, required } from "@orch/apis-model";
import { subdomainErrors } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";

type Requirement = Rule<coreV1.NodeSelectorRequirement>;

const VALUES_NEEDED = "must be specified when `operator` is 'In' or 'NotIn'";
const NO_VALUES = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
const ONE_VALUE = "must be specified single value when `operator` is 'Lt' or 'Gt'";
const NOT_AN_OPERATOR = "not a valid selector operator";

const valuesFit: Requirement = ({ operator, values = [] }, at, report) => {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) report.required(at.field("values"), VALUES_NEEDED);
      return;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) report.forbidden(at.field("values"), NO_VALUES);
      return;
    case "Gt":
    case "Lt":
      if (values.length !== 1) report.required(at.field("values"), ONE_VALUE);
      return;
    default: // what a client wrote, which the type cannot know
      report.invalid(at.field("operator"), operator, NOT_AN_OPERATOR);
  }
};

const overLabels: Requirement = all(
  valuesFit,
  fields<coreV1.NodeSelectorRequirement>({ key: absentAs("", qualifiedName) }),
);

/** Field requirements allow only the name of a node, with a single value. */
const overFields: Requirement = ({ key, operator, values = [] }, at, report) => {
  if (operator !== "In" && operator !== "NotIn") report.invalid(at.field("operator"), operator, NOT_AN_OPERATOR);
  else if (values.length !== 1) {
    report.required(
      at.field("values"),
      "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
    );
  }
  if (key !== "metadata.name") return report.invalid(at.field("key"), key, "not a valid field selector key");
  values.forEach((value, position) => {
    report.misformed(at.field("values").item(position), value, subdomainErrors(value));
  });
};

export const nodeSelectorTerm: Rule<coreV1.NodeSelectorTerm> = fields<coreV1.NodeSelectorTerm>({
  matchExpressions: each(overLabels),
  matchFields: each(overFields),
});

export const nodeSelector: Rule<coreV1.NodeSelector> = fields<coreV1.NodeSelector>({
  nodeSelectorTerms: required(each(nodeSelectorTerm), "must have at least one node selector term"),
});
