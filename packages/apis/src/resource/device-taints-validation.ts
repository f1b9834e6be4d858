// Rules of taints of devices and their tolerations. Source: pkg/apis/resource/validation/validation.go.
import { fields, ifSet, labelValue, oneOf, qualifiedName, type Rule, required, textOf } from "@orch/apis-model";
import type { resourceV1 } from "@orch/schema";

type Taint = resourceV1.DeviceTaint;

const effect = oneOf("None", "NoExecute", "NoSchedule");

const keyAndValue = fields<Taint>({ key: textOf(qualifiedName), value: ifSet(labelValue) });

const taintEffect = fields<Taint>({ effect: required(effect) });

/** Checks a taint. An effect that the stored taint has is kept, known or not. */
export function deviceTaint(stored?: Taint): Rule<Taint> {
  return (taint, at, report) => {
    keyAndValue(taint, at, report);
    if (stored === undefined || stored.effect !== taint.effect) taintEffect(taint, at, report);
  };
}

const valueOfOperator: Rule<resourceV1.DeviceToleration> = ({ operator, value = "" }, at, report) => {
  switch (operator) {
    case "Exists":
      if (value !== "") report.invalid(at.field("value"), value, "must be empty for operator `Exists`");
      return;
    case "Equal":
      return labelValue(value, at.field("value"), report);
    default: // what a client wrote, which the type cannot know
      if (!operator) report.required(at.field("operator"));
      else report.notSupported(at.field("operator"), operator, ["Equal", "Exists"]);
  }
};

export const deviceToleration: Rule<resourceV1.DeviceToleration> = (toleration, at, report) => {
  fields<resourceV1.DeviceToleration>({ key: ifSet(qualifiedName) })(toleration, at, report);
  valueOfOperator(toleration, at, report);
  fields<resourceV1.DeviceToleration>({ effect: ifSet(effect) })(toleration, at, report);
};
