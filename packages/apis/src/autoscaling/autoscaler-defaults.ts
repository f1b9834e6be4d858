// Defaults of autoscalers: cpu utilization; fast scale-up and slow scale-down. Source:
// pkg/apis/autoscaling/v2beta2/defaults.go.

import { copyOfValue, type DefaultRules, type FrozenObject, fieldAt, objectAt } from "@orch/apis-model";
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

const CPU_PERCENT = 80;

/** Defaults of v1, which has an annotation for metrics without a field. */
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

/** Defaults of v2 and v2beta2. */
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

/** The controller has the default of the stabilization window. */
const SCALE_DOWN: FrozenObject = { selectPolicy: "Max", policies: [DOUBLE] };

/**
 * Sets the fields in the order of the type, as decoding does: v1 has this text in an annotation, and it must be
 * deterministic.
 */
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
