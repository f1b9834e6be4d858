// Validation of horizontal pod autoscalers, in the shape of v2 for every version. Source:
// pkg/apis/autoscaling/validation/validation.go.

import {
  all,
  each,
  fields,
  nonNegative,
  nonNegativeQuantity,
  oneOf,
  type Place,
  type Report,
  type Rule,
  rangeOf,
  required,
  textOf,
  updateValidator,
  validator,
} from "@orch/apis-model";
import type { autoscalingV2 } from "@orch/schema";
import { crossVersionReference, metric } from "./metric-validation";

const policies = required(
  each(
    fields<autoscalingV2.HPAScalingPolicy>({
      type: textOf(oneOf("Percent", "Pods")),
      value: (value, at, report) => {
        if (value <= 0) report.invalid(at, value, "must be greater than zero");
      },
      periodSeconds: rangeOf(1, 1800),
    }),
  ),
  "must specify at least one Policy",
);

const scalingRules = fields<autoscalingV2.HPAScalingRules>({
  stabilizationWindowSeconds: rangeOf(0, 3600),
  selectPolicy: oneOf("Disabled", "Max", "Min"),
  policies,
  tolerance: (value, at, report) => {
    if (report.features.isOn("HPAConfigurableTolerance")) nonNegativeQuantity(value, at, report);
  },
});

/** Bounds of the replicas. proto/ declares the minimum of each, and that of `maxReplicas` since 1.36. */
const bounds: Rule<autoscalingV2.HorizontalPodAutoscalerSpec> = ({ minReplicas, maxReplicas }, at, report) => {
  const place = at.field("maxReplicas");
  if (maxReplicas < 1 && !report.features.since("1.36")) report.invalid(place, maxReplicas, "must be greater than 0");
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    report.invalid(place, maxReplicas, "must be greater than or equal to `minReplicas`");
  }
};

/** Requires a metric that exists without pods when `minReplicas` is 0. */
const wakesFromZero: Rule<autoscalingV2.HorizontalPodAutoscalerSpec> = ({ minReplicas, metrics = [] }, at, report) => {
  if (minReplicas !== 0 || metrics.length === 0) return;
  if (metrics.some(({ type }) => type === "Object" || type === "External")) return;
  report.forbidden(
    at.field("metrics"),
    "must specify at least one Object or External metric to support scaling to zero replicas",
  );
};

const parts = all<autoscalingV2.HorizontalPodAutoscalerSpec>(
  bounds,
  fields<autoscalingV2.HorizontalPodAutoscalerSpec>({
    scaleTargetRef: crossVersionReference,
    metrics: each(metric),
    behavior: fields<autoscalingV2.HorizontalPodAutoscalerBehavior>({ scaleUp: scalingRules, scaleDown: scalingRules }),
  }),
  wakesFromZero,
);

type Spec = autoscalingV2.HorizontalPodAutoscalerSpec;

/**
 * Requires the group of a new target. Replication controllers are the only scalable kind without one. Source:
 * pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go.
 */
function targetGroup({ scaleTargetRef }: Spec, old: Spec | undefined, at: Place, report: Report): void {
  if (!report.features.since("1.36")) return;
  const { apiVersion: text = "", kind } = scaleTargetRef;
  if (old !== undefined && (old.scaleTargetRef.apiVersion ?? "") === text && old.scaleTargetRef.kind === kind) return;
  const place = at.field("scaleTargetRef").field("apiVersion");
  const parts = text.split("/");
  if (parts.length > 2) report.invalid(place, text, `unexpected GroupVersion string: ${text}`);
  else if (kind !== "ReplicationController" && (parts.length < 2 || parts[0] === "")) {
    report.invalid(place, text, "apiVersion must specify API group");
  }
}

export const validateNewAutoscaler = validator<autoscalingV2.HorizontalPodAutoscaler>(({ spec }, at, report) => {
  if (spec === undefined) return;
  parts(spec, at.field("spec"), report);
  targetGroup(spec, undefined, at.field("spec"), report);
});

export const validateAutoscalerUpdate = updateValidator<autoscalingV2.HorizontalPodAutoscaler>(
  ({ spec }, old, at, report) => {
    if (spec === undefined) return;
    parts(spec, at.field("spec"), report);
    targetGroup(spec, old.spec, at.field("spec"), report);
  },
);

const status = fields<autoscalingV2.HorizontalPodAutoscaler>({
  status: fields<autoscalingV2.HorizontalPodAutoscalerStatus>({
    currentReplicas: nonNegative,
    desiredReplicas: nonNegative,
  }),
});

export const validateAutoscalerStatus = updateValidator<autoscalingV2.HorizontalPodAutoscaler>(
  (next, _old, at, report) => status(next, at, report),
);
