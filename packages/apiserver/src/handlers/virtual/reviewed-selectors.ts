// Selectors of access reviews as authorizers receive them. A requirement that this release does not know is left out:
// requirements only narrow what is selected, so that the check becomes broader. Source: KEP-4601 (Authorize with
// Selectors); pkg/registry/authorization/util/helpers.go.
import { type RequestedSelectors, requestedSelectors } from "@orch/auth";
import { parseFieldSelector, parseLabelSelector, StatusError } from "@orch/machinery";

/** Either the text of a selector or its requirements. */
export interface AskedSelector {
  readonly rawSelector?: string;
  readonly requirements?: readonly AskedRequirement[];
}

interface AskedRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

type Requirement = RequestedSelectors["fields"][number];

export interface ReviewedSelector {
  readonly requirements: readonly Requirement[];
  /** Whether no part of the selector is ignored. */
  readonly isWhole: boolean;
}

const NONE: ReviewedSelector = { requirements: [], isWhole: true };

export function reviewedFields(asked: AskedSelector = {}): ReviewedSelector {
  const { rawSelector: text = "" } = asked;
  if (text !== "") {
    return {
      requirements: requestedSelectors({ fields: text, labels: "" }).fields,
      isWhole: parses(parseFieldSelector, text),
    };
  }
  return knownOf(asked, ({ key, operator, values = [] }) => {
    const isComparison = operator === "In" || operator === "NotIn";
    return isComparison && values.length === 1 ? { key, operator, values } : undefined;
  });
}

export function reviewedLabels(asked: AskedSelector = {}): ReviewedSelector {
  const { rawSelector: text = "" } = asked;
  if (text !== "") {
    return {
      requirements: requestedSelectors({ fields: "", labels: text }).labels,
      isWhole: parses(parseLabelSelector, text),
    };
  }
  return knownOf(asked, ({ key, operator, values = [] }) => {
    const known = LABEL_OPERATORS.find((each) => each === operator);
    return known === undefined ? undefined : { key, operator: known, ...(values.length > 0 && { values }) };
  });
}

const LABEL_OPERATORS = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

function knownOf(
  { requirements = [] }: AskedSelector,
  known: (asked: AskedRequirement) => Requirement | undefined,
): ReviewedSelector {
  if (requirements.length === 0) return NONE;
  const kept = requirements.flatMap((each) => known(each) ?? []);
  return { requirements: kept, isWhole: kept.length === requirements.length };
}

function parses(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}
