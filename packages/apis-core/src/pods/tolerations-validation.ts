// Validation of taints and tolerations. Source: pkg/apis/core/validation/validation.go.

import { all, fields, oneOf, qualifiedName, type Rule } from "@orch/apis-model";
import { labelValueErrors } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";

export const taintEffect = oneOf("NoSchedule", "PreferNoSchedule", "NoExecute");

export const toleration: Rule<coreV1.Toleration> = all(
  fields<coreV1.Toleration>({ key: qualifiedName, effect: taintEffect }),
  (toleration, at, report) => {
    const { key = "", operator = "", value = "", effect, tolerationSeconds } = toleration;
    if (key === "" && operator !== "Exists") {
      report.invalid(
        at.field("operator"),
        operator,
        "operator must be Exists when `key` is empty, as all keys match then",
      );
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      report.invalid(at.field("effect"), effect ?? "", "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    operatorAndValue(operator, value);

    function operatorAndValue(operator: string, value: string): void {
      switch (operator) {
        case "":
        case "Equal":
          report.misformed(at.field("operator"), value, labelValueErrors(value));
          return;
        case "Exists":
          if (value !== "")
            report.invalid(at.field("operator"), toleration, "value must be empty when `operator` is 'Exists'");
          return;
        default:
          report.notSupported(at.field("operator"), operator, ["Equal", "Exists"]);
      }
    }
  },
);
