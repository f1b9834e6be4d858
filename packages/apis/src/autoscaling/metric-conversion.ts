// Conversion of metrics between v2 and the flat form of v2beta1, which the annotations of v1 use, too. Source:
// pkg/apis/autoscaling/v2beta1/conversion.go.

import { copyField, fieldAt, fieldNames, objectAt } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";

/** Path in v2 and name of the flat field. */
type Row = readonly [nested: string, flat: string];

interface MetricShape {
  readonly rows: readonly Row[];
  /** Flat quantity that is always encoded; "0" means absent when another amount is set. */
  readonly standIn?: string;
  /** Flat quantity that is always encoded. */
  readonly required?: string;
}

const named = (selector: string): readonly Row[] => [
  ["metric.name", "metricName"],
  ["metric.selector", selector],
];

const RESOURCE_TARGET: readonly Row[] = [
  ["name", "name"],
  ["target.averageUtilization", "targetAverageUtilization"],
  ["target.averageValue", "targetAverageValue"],
];

const RESOURCE_CURRENT: readonly Row[] = [
  ["name", "name"],
  ["current.averageUtilization", "currentAverageUtilization"],
  ["current.averageValue", "currentAverageValue"],
];

const CONTAINER: Row = ["container", "container"];
const DESCRIBED: Row = ["describedObject", "target"];

/** Shapes keyed by the field of the metric. */
const TARGETS: Readonly<Record<string, MetricShape>> = {
  object: {
    rows: [DESCRIBED, ...named("selector"), ["target.value", "targetValue"], ["target.averageValue", "averageValue"]],
    standIn: "targetValue",
  },
  pods: { rows: [...named("selector"), ["target.averageValue", "targetAverageValue"]], required: "targetAverageValue" },
  resource: { rows: RESOURCE_TARGET },
  containerResource: { rows: [...RESOURCE_TARGET, CONTAINER] },
  external: {
    rows: [...named("metricSelector"), ["target.value", "targetValue"], ["target.averageValue", "targetAverageValue"]],
  },
};

const CURRENT: Readonly<Record<string, MetricShape>> = {
  object: {
    rows: [
      DESCRIBED,
      ...named("selector"),
      ["current.value", "currentValue"],
      ["current.averageValue", "averageValue"],
    ],
    standIn: "currentValue",
  },
  pods: {
    rows: [...named("selector"), ["current.averageValue", "currentAverageValue"]],
    required: "currentAverageValue",
  },
  resource: { rows: RESOURCE_CURRENT, required: "currentAverageValue" },
  containerResource: { rows: [...RESOURCE_CURRENT, CONTAINER], required: "currentAverageValue" },
  external: {
    rows: [
      ...named("metricSelector"),
      ["current.value", "currentValue"],
      ["current.averageValue", "currentAverageValue"],
    ],
    standIn: "currentValue",
  },
};

export const flatTarget = (metric: JsonObject): JsonObject => eachSource(metric, TARGETS, flattened);
export const flatCurrent = (metric: JsonObject): JsonObject => eachSource(metric, CURRENT, flattened);
export const nestedCurrent = (metric: JsonObject): JsonObject => eachSource(metric, CURRENT, nested);
export const nestedTarget = (metric: JsonObject): JsonObject =>
  eachSource(metric, TARGETS, (source, shape) => withTargetType(nested(source, shape)));

type Change = (source: JsonObject, shape: MetricShape) => JsonObject;

function eachSource(metric: JsonObject, shapes: Readonly<Record<string, MetricShape>>, change: Change): JsonObject {
  const converted: JsonObject = { ...metric };
  for (const [type, shape] of Object.entries(shapes)) {
    const source = metric[type];
    if (isObject(source)) converted[type] = change(source, shape);
  }
  return converted;
}

function flattened(source: JsonObject, { rows, standIn, required }: MetricShape): JsonObject {
  const flat: JsonObject = {};
  for (const [path, field] of rows) {
    const value = fieldAt(source, fieldNames(path));
    if (value !== undefined) flat[field] = value;
  }
  const always = standIn ?? required;
  if (always !== undefined) flat[always] ??= "0";
  return flat;
}

function nested(flat: JsonObject, { rows, standIn }: MetricShape): JsonObject {
  const source: JsonObject = {};
  const average = rows.find(([path]) => path.endsWith(".averageValue"))?.[1];
  const otherAmount = average !== undefined && flat[average] !== undefined;
  for (const [path, field] of rows) {
    if (flat[field] === undefined || (field === standIn && otherAmount && flat[field] === "0")) continue;
    copyField(source, nestedUnder(path, flat[field]), fieldNames(path));
  }
  return source;
}

const nestedUnder = (path: string, value: JsonObject[string]): JsonObject =>
  fieldNames(path).reduceRight<JsonObject[string]>((inner, name) => ({ [name]: inner }), value) as JsonObject;

function withTargetType(source: JsonObject): JsonObject {
  const target = objectAt(source, "target");
  const type =
    target["averageUtilization"] !== undefined
      ? "Utilization"
      : target["averageValue"] !== undefined
        ? "AverageValue"
        : "Value";
  source["target"] = { type, ...target };
  return source;
}
