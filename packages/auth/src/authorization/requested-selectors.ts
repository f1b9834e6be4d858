// Selectors of a list, watch or collection deletion, as authorizers see them. Source: KEP-4601 (Authorize with Selectors);
// staging/src/k8s.io/apiserver/plugin/pkg/authorizer/webhook/webhook.go.
import { type LabelRequirement, parseFieldSelector, parseLabelSelector, StatusError } from "@orch/machinery";

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  /** Absent for operators without values. */
  readonly values?: readonly string[];
}

/** Requirements that all selected objects meet. A selector that cannot be parsed has none. */
export interface RequestedSelectors {
  readonly fields: readonly SelectorRequirement[];
  readonly labels: readonly SelectorRequirement[];
}

/** @param texts query parameters; "" when absent */
export const requestedSelectors = (texts: {
  readonly fields: string;
  readonly labels: string;
}): RequestedSelectors => ({
  fields: unlessInvalid(() =>
    parseFieldSelector(texts.fields).map(({ field, operator, value }) => ({
      key: field,
      operator: operator === "=" ? "In" : "NotIn",
      values: [value],
    })),
  ),
  labels: unlessInvalid(() => (parseLabelSelector(texts.labels)?.requirements ?? []).flatMap(labelRequirement)),
});

function unlessInvalid(parse: () => readonly SelectorRequirement[]): readonly SelectorRequirement[] {
  try {
    return parse();
  } catch (error) {
    if (error instanceof StatusError) return [];
    throw error;
  }
}

/** Comparisons of numbers have no form in access reviews. */
function labelRequirement(requirement: LabelRequirement): readonly SelectorRequirement[] {
  const { key } = requirement;
  switch (requirement.operator) {
    case "exists":
      return [{ key, operator: "Exists" }];
    case "!":
      return [{ key, operator: "DoesNotExist" }];
    case "=":
    case "==":
      return [{ key, operator: "In", values: [requirement.value] }];
    case "!=":
      return [{ key, operator: "NotIn", values: [requirement.value] }];
    case "in":
      return [{ key, operator: "In", values: requirement.values }];
    case "notin":
      return [{ key, operator: "NotIn", values: requirement.values }];
    case ">":
    case "<":
      return [];
  }
}
