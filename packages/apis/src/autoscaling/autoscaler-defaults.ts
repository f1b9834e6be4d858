// How an autoscaler behaves where its author does not say: by the processor, up at once, down slowly.
import type { JsonObject } from "@orch/schema";
import type { DefaultRules } from "../defaults/default-rules";
import { fieldAt, isObject, objectAt } from "../field-path";
import { copyOfValue, type FrozenObject } from "../frozen-value";

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
    const behavior = fieldAt(autoscaler, ["spec", "behavior"]);
    if (!isObject(behavior)) return;
    complete(objectAt(behavior, "scaleUp"), SCALE_UP);
    complete(objectAt(behavior, "scaleDown"), SCALE_DOWN);
  },
};

const DOUBLE: FrozenObject = { type: "Percent", value: 100, periodSeconds: 15 };

const SCALE_UP: FrozenObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [{ type: "Pods", value: 4, periodSeconds: 15 }, DOUBLE],
};

/** How long to look back before scaling down is for the controller to know. */
const SCALE_DOWN: FrozenObject = { selectPolicy: "Max", policies: [DOUBLE] };

function complete(rules: JsonObject, defaults: FrozenObject): void {
  for (const name in defaults) rules[name] ??= copyOfValue(defaults[name] as FrozenObject);
}
