// Validates label selectors in specs. Source:
// staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go.
import type { JsonObject } from "@orch/schema";
import { type FieldError, forbidden, invalid, required } from "../errors/field-error";
import { child, index } from "../errors/field-path";
import { qualifiedNameErrors } from "../names/name-formats";
import { labelErrors } from "../objects/label-validation";
import type { SelectorExpression, SelectorObject } from "./label-selector";

export function labelSelectorErrors(selector: JsonObject, path: string): readonly FieldError[] {
  const { matchLabels, matchExpressions } = selector as SelectorObject;
  const expressionsPath = child(path, "matchExpressions");
  return [
    ...labelErrors(matchLabels ?? {}, child(path, "matchLabels")),
    ...(matchExpressions ?? []).flatMap((each, position) => expressionErrors(each, index(expressionsPath, position))),
  ];
}

function expressionErrors(expression: SelectorExpression, path: string): FieldError[] {
  const keyErrors = qualifiedNameErrors(expression.key).map((text) =>
    invalid(child(path, "key"), expression.key, text),
  );
  return [...operatorErrors(expression, path), ...keyErrors];
}

function operatorErrors({ operator, values = [] }: SelectorExpression, path: string): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0
        ? []
        : [required(child(path, "values"), "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      return values.length === 0
        ? []
        : [forbidden(child(path, "values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default: // an invalid value from the client
      return [invalid(child(path, "operator"), operator, "not a valid selector operator")];
  }
}
