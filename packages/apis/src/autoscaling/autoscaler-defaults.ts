// How an autoscaler behaves where its author does not say: by the processor, up at once, down slowly.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";
import type { DefaultRules } from "../model/defaults/default-rules";
import { fieldAt, objectAt } from "../values/field-path";
import { copyOfValue, type FrozenObject } from "../values/frozen-value";

const CPU_PERCENT = 80;

/** v1 keeps metrics that it has no field for in an annotation. */
export const V1_DEFAULTS: DefaultRules = {
  fields: { "spec.minReplicas": 1 },
  then: (autoscaler, { annotations }) => {
    const others = fieldAt(autoscaler, ["metadata", "annotations", annotations.autoscalingAlphaMetrics]);
    if (others === undefined) objectAt(autoscaler, "spec")["targetCPUUtilizationPercentage"] ??= CPU_PERCENT;
  },
};

export const V2BETA1_DEFAULTS: DefaultRules = {
  fields: {
    "spec.minReplicas": 1,
    "spec.metrics": [{ type: "Resource", resource: { name: "cpu", targetAverageUtilization: CPU_PERCENT } }],
  },
};

/** Of v2 and v2beta2. */
export const V2_DEFAULTS: DefaultRules = {
  fields: {
    "spec.minReplicas": 1,
    "spec.metrics": [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: CPU_PERCENT } },
      },
    ],
  },
  then: (autoscaler) => {
    const spec = autoscaler["spec"];
    if (!isObject(spec) || !isObject(spec["behavior"])) return;
    const { scaleUp, scaleDown } = spec["behavior"];
    spec["behavior"] = { scaleUp: completed(scaleUp, SCALE_UP), scaleDown: completed(scaleDown, SCALE_DOWN) };
  },
};

const DOUBLE: FrozenObject = { type: "Percent", value: 100, periodSeconds: 15 };

const SCALE_UP: FrozenObject = {
  selectPolicy: "Max",
  policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, DOUBLE],
  stabilizationWindowSeconds: 0,
};

/** How long to look back before scaling down is for the controller to know. */
const SCALE_DOWN: FrozenObject = { selectPolicy: "Max", policies: [DOUBLE] };

/** In the order of the type, as decoding leaves it: v1 has the text of all this in an annotation, which is to be the same every time. */
function completed(rules: JsonValue | undefined, defaults: FrozenObject): JsonObject {
  const given = isObject(rules) ? rules : {};
  const whole: JsonObject = {};
  for (const name of RULE_FIELDS) {
    const standard = defaults[name];
    const value = given[name] ?? (standard === undefined ? undefined : copyOfValue(standard));
    if (value !== undefined) whole[name] = value;
  }
  return whole;
}

const RULE_FIELDS = ["selectPolicy", "policies", "stabilizationWindowSeconds", "tolerance"] as const;
