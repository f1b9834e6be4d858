// Validation of the metrics of autoscalers. Source: pkg/apis/autoscaling/validation/validation.go.

import {
  containerResourceName,
  fields,
  isExact,
  isPositive,
  label1123,
  oneOf,
  type Place,
  pathSegment,
  type Report,
  type Rule,
  required,
  requiredText,
} from "@orch/apis-model";
import type { autoscalingV2 } from "@orch/schema";

/** Field of each metric type, in the order in which they are checked. */
const SOURCES = {
  Object: "object",
  External: "external",
  Pods: "pods",
  Resource: "resource",
  ContainerResource: "containerResource",
} as const;

const type = requiredText(oneOf(...Object.keys(SOURCES)), "must specify a metric source type");

export const metric: Rule<autoscalingV2.MetricSpec> = (spec, at, report) => {
  type(spec.type ?? "", at.field("type"), report);
  const present = Object.values(SOURCES).filter((source) => spec[source] !== undefined);
  const wanted = Object.hasOwn(SOURCES, spec.type) ? SOURCES[spec.type as keyof typeof SOURCES] : undefined;
  if (isExact(report)) return soleSource(spec, { present, wanted }, at, report);
  if (wanted === undefined) return;
  if (!present.includes(wanted)) {
    report.required(at.field(wanted), "must populate information for the given metric source");
  }
  for (const source of present) {
    if (source !== wanted) report.forbidden(at.field(source), "must populate the given metric source only");
  }
  const first = present[0];
  if (first !== undefined) sources({ type: spec.type, [first]: spec[first] }, at, report);
};

interface Sources {
  readonly present: readonly Source[];
  readonly wanted: Source | undefined;
}

type Source = (typeof SOURCES)[keyof typeof SOURCES];

/** Checks the first source that is set. Several sources are forbidden; a single one of another type is not. */
function soleSource(spec: autoscalingV2.MetricSpec, { present, wanted }: Sources, at: Place, report: Report): void {
  const first = present[0];
  if (first !== undefined) sources({ type: spec.type, [first]: spec[first] }, at, report);
  if (wanted !== undefined && !present.includes(wanted)) {
    report.required(at.field(wanted), "must populate information for the given metric source");
  }
  if (present.length === 1) return;
  for (const source of present) {
    if (source !== wanted) report.forbidden(at.field(source), "must populate the given metric source only");
  }
}

const identifier = fields<autoscalingV2.MetricIdentifier>({ name: required(pathSegment) });

const positiveAmount: Rule<string> = (value, at, report) => {
  if (!isPositive(value)) report.invalid(at, value, "must be positive");
};

const targetParts = fields<autoscalingV2.MetricTarget>({
  type: requiredText((word, at, report) => {
    if (!["Utilization", "Value", "AverageValue"].includes(word)) {
      report.invalid(at, word, "must be either Utilization, Value, or AverageValue");
    }
  }, "must specify a metric target type"),
  value: positiveAmount,
  averageValue: positiveAmount,
  averageUtilization: (value, at, report) => {
    if (value < 1) report.invalid(at, value, "must be greater than 0");
  },
});

/** Builds the rule of a target. @param amounts checks the amounts that the type requires */
const target =
  (
    amounts: (target: autoscalingV2.MetricTarget, at: Place, report: Report) => void,
  ): Rule<autoscalingV2.MetricTarget> =>
  (value, at, report) => {
    targetParts(value, at, report);
    amounts(value, at, report);
  };

const ofObject = target(({ value, averageValue }, at, report) => {
  if (value === undefined && averageValue === undefined) {
    report.required(at.field("averageValue"), "must set either a target value or averageValue");
  }
});

const ofExternal = target(({ value, averageValue }, at, report) => {
  if (value === undefined && averageValue === undefined) {
    report.required(at.field("averageValue"), "must set either a target value for metric or a per-pod target");
  }
  if (value !== undefined && averageValue !== undefined) {
    report.forbidden(at.field("value"), "may not set both a target value for metric and a per-pod target");
  }
});

const ofPods = target(({ averageValue }, at, report) => {
  if (averageValue === undefined)
    report.required(at.field("averageValue"), "must specify a positive target averageValue");
});

const ofResource = target(({ averageUtilization, averageValue }, at, report) => {
  if (averageUtilization === undefined && averageValue === undefined) {
    report.required(at.field("averageUtilization"), "must set either a target raw value or a target utilization");
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    report.forbidden(at.field("averageValue"), "may not set both a target raw value and a target utilization");
  }
});

/** Requires kind and name of a reference. */
export const crossVersionReference = fields<autoscalingV2.CrossVersionObjectReference>({
  kind: required(pathSegment),
  name: required(pathSegment),
});

const sources = fields<autoscalingV2.MetricSpec>({
  object: fields<autoscalingV2.ObjectMetricSource>({
    describedObject: crossVersionReference,
    metric: identifier,
    target: ofObject,
  }),
  external: fields<autoscalingV2.ExternalMetricSource>({ metric: identifier, target: ofExternal }),
  pods: fields<autoscalingV2.PodsMetricSource>({ metric: identifier, target: ofPods }),
  resource: fields<autoscalingV2.ResourceMetricSource>({ name: required(), target: ofResource }),
  containerResource: fields<autoscalingV2.ContainerResourceMetricSource>({
    name: required((name, at, report) => {
      if (report.features.since("1.27")) containerResourceName(name, at, report);
    }),
    container: required(label1123),
    target: ofResource,
  }),
});
