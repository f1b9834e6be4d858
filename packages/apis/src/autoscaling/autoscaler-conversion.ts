// Conversion of older versions of autoscalers. v1 has only the cpu utilization, and v2beta1 has no behavior;
// annotations carry the rest, so that a round trip loses nothing. v2beta2 has the same shape as v2 in every release
// that serves it and needs no conversion. Source: pkg/apis/autoscaling/v1/conversion.go,
// pkg/apis/autoscaling/v2beta1/conversion.go.

import {
  type Conversion,
  objectAt,
  objectsAt,
  putAnnotation,
  sameValue,
  takeAnnotation,
  takeField,
} from "@orch/apis-model";
import { isObject, type JsonObject, type JsonValue, type Vocabulary } from "@orch/schema";
import { flatCurrent, flatTarget, nestedCurrent, nestedTarget } from "./metric-conversion";

export const v2beta1Conversion: Conversion = {
  toHub: (autoscaler, vocabulary) => {
    changeMetrics(autoscaler, { target: nestedTarget, current: nestedCurrent });
    restoreBehavior(autoscaler, vocabulary);
    return autoscaler;
  },
  fromHub: (autoscaler, vocabulary) => {
    changeMetrics(autoscaler, { target: flatTarget, current: flatCurrent });
    noteBehavior(autoscaler, vocabulary);
    return autoscaler;
  },
};

export const v1Conversion: Conversion = {
  toHub: (autoscaler, vocabulary) => {
    restoreTargets(autoscaler, vocabulary);
    restoreBehavior(autoscaler, vocabulary);
    restoreStatus(autoscaler, vocabulary);
    return autoscaler;
  },
  fromHub: (autoscaler, vocabulary) => {
    noteTargets(autoscaler, vocabulary);
    noteBehavior(autoscaler, vocabulary);
    noteStatus(autoscaler, vocabulary);
    return autoscaler;
  },
};

function changeMetrics(
  autoscaler: JsonObject,
  change: {
    readonly target: (metric: JsonObject) => JsonObject;
    readonly current: (metric: JsonObject) => JsonObject;
  },
): void {
  const { spec, status } = autoscaler;
  if (isObject(spec) && Array.isArray(spec["metrics"])) spec["metrics"] = objectsAt(spec, "metrics").map(change.target);
  if (isObject(status) && Array.isArray(status["currentMetrics"])) {
    status["currentMetrics"] = objectsAt(status, "currentMetrics").map(change.current);
  }
}

function noteBehavior(autoscaler: JsonObject, { annotations }: Vocabulary): void {
  putAnnotation(autoscaler, annotations.autoscalingAlphaBehavior, takeField(objectAt(autoscaler, "spec"), "behavior"));
}

function restoreBehavior(autoscaler: JsonObject, { annotations }: Vocabulary): void {
  const behavior = takeAnnotation(autoscaler, annotations.autoscalingAlphaBehavior);
  if (isObject(behavior)) objectAt(autoscaler, "spec")["behavior"] = behavior;
}

const PROCESSOR = "cpu";
const TARGET_PERCENTAGE = "targetCPUUtilizationPercentage";
const CURRENT_PERCENTAGE = "currentCPUUtilizationPercentage";

/** Moves the first target of the cpu utilization to the field of v1. On the way back it becomes the first metric. */
function noteTargets(autoscaler: JsonObject, { annotations }: Vocabulary): void {
  const spec = objectAt(autoscaler, "spec");
  const metrics = objectsAt(spec, "metrics");
  delete spec["metrics"];
  const processor = metrics.find(saysUtilizationAlone);
  if (processor !== undefined) spec[TARGET_PERCENTAGE] = utilization(processor, "target") as number;
  const others = metrics.filter((metric) => metric !== processor).map(flatTarget);
  putAnnotation(autoscaler, annotations.autoscalingAlphaMetrics, listOrNone(others));
}

function restoreTargets(autoscaler: JsonObject, { annotations }: Vocabulary): void {
  const spec = objectAt(autoscaler, "spec");
  const percentage = takeField(spec, TARGET_PERCENTAGE);
  const others = objectsIn(takeAnnotation(autoscaler, annotations.autoscalingAlphaMetrics)).map(nestedTarget);
  const processor =
    typeof percentage === "number"
      ? [resourceMetric("target", { type: "Utilization", averageUtilization: percentage })]
      : [];
  if (processor.length + others.length > 0) spec["metrics"] = [...processor, ...others];
}

function noteStatus(autoscaler: JsonObject, { annotations }: Vocabulary): void {
  const { status } = autoscaler;
  if (!isObject(status)) return;
  const metrics = objectsAt(status, "currentMetrics");
  delete status["currentMetrics"];
  const processor = metrics.find((metric) => utilization(metric, "current") !== undefined);
  if (processor !== undefined) status[CURRENT_PERCENTAGE] = utilization(processor, "current") as number;
  putAnnotation(autoscaler, annotations.autoscalingAlphaCurrentMetrics, listOrNone(metrics.map(flatCurrent)));
  putAnnotation(autoscaler, annotations.autoscalingAlphaConditions, listOrNone(objectsAt(status, "conditions")));
  delete status["conditions"];
}

function restoreStatus(autoscaler: JsonObject, { annotations }: Vocabulary): void {
  const metrics = objectsIn(takeAnnotation(autoscaler, annotations.autoscalingAlphaCurrentMetrics)).map(nestedCurrent);
  const conditions = objectsIn(takeAnnotation(autoscaler, annotations.autoscalingAlphaConditions));
  const { status } = autoscaler;
  if (!isObject(status)) return;
  const percentage = takeField(status, CURRENT_PERCENTAGE);
  // Clients of v1 set the field only, so it takes precedence over the annotation.
  if (typeof percentage === "number") setUtilization(metrics, percentage);
  if (metrics.length > 0) status["currentMetrics"] = metrics;
  if (conditions.length > 0) status["conditions"] = conditions;
}

function setUtilization(metrics: JsonObject[], percentage: number): void {
  const processor = metrics.find((metric) => utilization(metric, "current") !== undefined);
  if (processor === undefined) metrics.unshift(resourceMetric("current", { averageUtilization: percentage }));
  else objectAt(objectAt(processor, "resource"), "current")["averageUtilization"] = percentage;
}

const resourceMetric = (part: "target" | "current", amounts: JsonObject): JsonObject => ({
  type: "Resource",
  resource: { name: PROCESSOR, [part]: amounts },
});

/** Returns the percentage of a cpu utilization metric; undefined for other metrics. */
function utilization({ type, resource }: JsonObject, part: "target" | "current"): number | undefined {
  if (type !== "Resource" || !isObject(resource) || resource["name"] !== PROCESSOR) return undefined;
  const amounts = resource[part];
  const percentage = isObject(amounts) ? amounts["averageUtilization"] : undefined;
  return typeof percentage === "number" ? percentage : undefined;
}

/**
 * Returns whether the field of v1 expresses the whole metric. A metric with more may be invalid and must be kept for
 * validation.
 */
function saysUtilizationAlone(metric: JsonObject): boolean {
  const averageUtilization = utilization(metric, "target");
  if (averageUtilization === undefined) return false;
  return sameValue(metric, resourceMetric("target", { type: "Utilization", averageUtilization }));
}

const listOrNone = (list: JsonObject[]): JsonObject[] | undefined => (list.length > 0 ? list : undefined);

const objectsIn = (value: JsonValue | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
