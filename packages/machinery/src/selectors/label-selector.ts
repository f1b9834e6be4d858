// Label selectors: the query grammar (`app=web,tier in (front,back),!canary`), the selector objects in specs, and the
// compiled form of both. Source: "Labels and Selectors" in the Kubernetes documentation.
import type { JsonObject } from "@orch/schema";
import { type LabelRequirement, type Labels, type LabelTest, labelMatcher, sortedSet } from "./label-matcher";
import { parseLabelQuery } from "./label-query";

export type { Labels } from "./label-matcher";

export interface LabelSelector {
  /** Sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  readonly matches: LabelTest;
}

/**
 * Parses a `labelSelector` query parameter.
 * @returns undefined when it selects everything
 * @throws StatusError BadRequest (400)
 */
export function parseLabelSelector(query: string): LabelSelector | undefined {
  const requirements = parseLabelQuery(query);
  return requirements.length === 0 ? undefined : labelSelectorOf(requirements);
}

function labelSelectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  const sorted = [...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return { requirements: sorted, matches: labelMatcher(sorted) };
}

/**
 * Compiles the selector of a spec (`matchLabels`, `matchExpressions`), which must be valid.
 * @param selector undefined selects nothing; an empty object selects everything
 */
export function labelSelectorOfObject(selector: JsonObject | undefined): LabelSelector {
  if (selector === undefined) return NOTHING;
  const { matchLabels, matchExpressions } = selector as SelectorObject;
  const equalities = Object.entries(matchLabels ?? {}).map(
    ([key, value]): LabelRequirement => ({ operator: "=", key, value }),
  );
  return labelSelectorOf([...equalities, ...(matchExpressions ?? []).map(ofExpression)]);
}

/** Returns the canonical text, which parses to the same selector: `a=b,c in (d,e),!f`. */
export const labelSelectorText = (selector: LabelSelector | undefined): string =>
  (selector?.requirements ?? []).map(requirementText).join(",");

export interface SelectorObject {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly SelectorExpression[];
}

export interface SelectorExpression {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

const NOTHING: LabelSelector = { requirements: [], matches: () => false };

function ofExpression({ key, operator, values = [] }: SelectorExpression): LabelRequirement {
  switch (operator) {
    case "In":
      return { operator: "in", key, values: sortedSet(values) };
    case "NotIn":
      return { operator: "notin", key, values: sortedSet(values) };
    case "Exists":
      return { operator: "exists", key };
    case "DoesNotExist":
      return { operator: "!", key };
  }
}

function requirementText(requirement: LabelRequirement): string {
  switch (requirement.operator) {
    case "exists":
      return requirement.key;
    case "!":
      return `!${requirement.key}`;
    case "in":
    case "notin":
      return `${requirement.key} ${requirement.operator} (${requirement.values.join(",")})`;
    case "=":
    case "==":
    case "!=":
    case ">":
    case "<":
      return `${requirement.key}${requirement.operator}${requirement.value}`;
  }
}
