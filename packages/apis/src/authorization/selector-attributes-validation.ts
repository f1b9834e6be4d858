// Validation of field and label selectors in access reviews: raw text or complete requirements. Source: KEP-4601,
// "Authorize with Selectors".

import { each, fields, type Place, type Report, type Rule } from "@orch/apis-model";
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

const term: Rule<Term> = ({ key = "", operator = "", values = [] }, at, report) => {
  if (key === "") report.required(at.field("key"), "must be specified");
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
      report.invalid(at.field("operator"), operator, "not a valid selector operator");
  }
};

function selector(value: Selector, at: Place, report: Report): void {
  const { rawSelector = "", requirements = [] } = value;
  if (rawSelector !== "" && requirements.length > 0) {
    report.invalid(at.field("rawSelector"), rawSelector, "may not specified at the same time as requirements");
  }
  if (rawSelector === "" && requirements.length === 0) {
    report.required(at.field("requirements"), `when ${at} is specified, requirements or rawSelector is required`);
  }
  each(term)(requirements, at.field("requirements"), report);
}

export const selectorAttributes: Rule<authorizationV1.ResourceAttributes> = fields<authorizationV1.ResourceAttributes>({
  fieldSelector: selector,
  labelSelector: selector,
});
