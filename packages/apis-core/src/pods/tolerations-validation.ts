// Validation of taints and tolerations. Source: pkg/apis/core/validation/validation.go.

import { all, fields, oneOf, qualifiedName, type Rule } from "@orch/apis-model";
import { labelValueErrors } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import { storesComparedTaints } from "../containers/stored-pod-spec";

export const taintEffect = oneOf("NoSchedule", "PreferNoSchedule", "NoExecute");

const DECIMAL = /^(0|-?[1-9]\d{0,18})$/;
const INT64_MAX = 2n ** 63n - 1n;

function isDecimalInteger(text: string): boolean {
  if (!DECIMAL.test(text)) return false;
  const number = BigInt(text);
  return number <= INT64_MAX && number >= -INT64_MAX - 1n;
}

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
        case "Lt":
        case "Gt":
          if (report.features.isOn("TaintTolerationComparisonOperators") || storesComparedTaints(report)) {
            if (!isDecimalInteger(value)) report.invalid(at.field("value"), value, "must be an integer of 64 bits");
            return;
          }
          report.notSupported(at.field("operator"), operator, ["Equal", "Exists"]);
          return;
        default:
          report.notSupported(at.field("operator"), operator, ["Equal", "Exists"]);
      }
    }
  },
);
