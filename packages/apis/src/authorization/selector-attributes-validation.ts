// Validation of field and label selectors in access reviews: raw text or complete requirements. Source: KEP-4601,
// "Authorize with Selectors".

import { each, fields, type Rule } from "@orch/apis-model";
import { labelValueErrors, qualifiedNameErrors } from "@orch/machinery";
import type { authorizationV1 } from "@orch/schema";

interface Term {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface Selector {
  readonly rawSelector?: string;
  readonly requirements?: readonly Term[];
}

/** Accepts unknown operators: a client of a later release may name one, and authorizers ignore it. */
const operands: Rule<Term> = ({ operator = "", values = [] }, at, report) => {
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        report.required(at.field("values"), "must be specified when `operator` is 'In' or 'NotIn'");
      }
      return;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        report.forbidden(at.field("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
      return;
    default:
  }
};

const fieldTerm: Rule<Term> = (term, at, report) => {
  if ((term.key ?? "") === "") report.required(at.field("key"), "must be specified");
  operands(term, at, report);
};

const labelTerm: Rule<Term> = (term, at, report) => {
  operands(term, at, report);
  const { key = "", values = [] } = term;
  for (const text of qualifiedNameErrors(key)) report.invalid(at.field("key"), key, text);
  const place = at.field("values");
  for (const [index, value] of values.entries()) {
    for (const text of labelValueErrors(value)) report.invalid(place.item(index), value, text);
  }
};

const selector =
  (term: Rule<Term>): Rule<Selector> =>
  (value, at, report) => {
    const { rawSelector = "", requirements = [] } = value;
    if (rawSelector !== "" && requirements.length > 0) {
      report.invalid(at.field("rawSelector"), rawSelector, "may not specified at the same time as requirements");
    }
    if (rawSelector === "" && requirements.length === 0) {
      report.required(at.field("requirements"), `when ${at} is specified, requirements or rawSelector is required`);
    }
    each(term)(requirements, at.field("requirements"), report);
  };

export const selectorAttributes: Rule<authorizationV1.ResourceAttributes> = fields<authorizationV1.ResourceAttributes>({
  fieldSelector: selector(fieldTerm),
  labelSelector: selector(labelTerm),
});
