// Protected API groups, which need the annotation for reviewed APIs. Source: KEP-2337, "k8s.io Group Protection".

import { Place, type Rule, type UpdateRule } from "@orch/apis-model";
import type { Vocabulary } from "@orch/schema";
import type { Definition } from "./definition-parts";

export type Approval = "notNeeded" | "missing" | "invalid" | "approved" | "unapproved";

const parentDomain = (name: string): string => name.slice(name.indexOf(".") + 1);

function isProtected(group: string, { groups, annotations }: Vocabulary): boolean {
  const domains = [parentDomain(groups.meta), parentDomain(annotations.apiApproved)];
  return domains.some((domain) => group === domain || group.endsWith(`.${domain}`));
}

/** Returns the approval state of a definition. */
export function approvalOf({ metadata, spec }: Definition, vocabulary: Vocabulary): Approval {
  if (!isProtected(spec.group, vocabulary)) return "notNeeded";
  const text = metadata?.annotations?.[vocabulary.annotations.apiApproved] ?? "";
  if (text === "") return "missing";
  if (text.startsWith("unapproved")) return "unapproved";
  return URL.canParse(text) && new URL(text).host !== "" ? "approved" : "invalid";
}

export const approval: Rule<Definition> = (definition, _at, report) => {
  const key = report.vocabulary.annotations.apiApproved;
  const place = Place.ROOT.field("metadata").field("annotations").key(key);
  const state = approvalOf(definition, report.vocabulary);
  if (state === "missing") {
    report.required(place, "protected groups must have approval: the URL of the review, or 'unapproved' and why");
  } else if (state === "invalid") {
    const value = definition.metadata?.annotations?.[key];
    report.invalid(place, value, "protected groups must have approval: the URL of the review, or 'unapproved' and why");
  }
};

/** Checks the approval only when it changes. */
export const approvalChange: UpdateRule<Definition> = (next, old, at, report) => {
  if (approvalOf(next, report.vocabulary) !== approvalOf(old, report.vocabulary)) approval(next, at, report);
};
