import { describe, expect, test } from "@jest/globals";
import type { Conversion } from "@orch/apis-model";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { v1Conversion, v2beta1Conversion } from "./autoscaler-conversion";

const vocabulary = vocabularyOf("orch");

const described = { kind: "Ingress", name: "front", apiVersion: "networking.orch.io/v1" };
const selector = { matchLabels: { app: "web" } };
const metric = { name: "queue", selector };
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } };

/** An autoscaler with every field of v2; the cpu target comes first. */
const whole = (): JsonObject => ({
  metadata: { name: "web", annotations: { mine: "kept" } },
  spec: {
    scaleTargetRef: { kind: "Deployment", name: "web", apiVersion: "apps/v1" },
    minReplicas: 2,
    maxReplicas: 9,
    metrics: [
      structuredClone(cpu),
      { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
      { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 60 } } },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "app", target: { type: "Utilization", averageUtilization: 50 } },
      },
      { type: "Pods", pods: { metric, target: { type: "AverageValue", averageValue: "30" } } },
      { type: "Object", object: { describedObject: described, metric, target: { type: "Value", value: "100" } } },
      {
        type: "Object",
        object: {
          describedObject: described,
          metric: { name: "q" },
          target: { type: "AverageValue", averageValue: "5" },
        },
      },
      { type: "External", external: { metric, target: { type: "Value", value: "7" } } },
      { type: "External", external: { metric, target: { type: "AverageValue", averageValue: "3" } } },
    ],
    behavior: {
      scaleUp: { selectPolicy: "Max", policies: [{ type: "Pods", value: 4, periodSeconds: 60 }] },
      scaleDown: { stabilizationWindowSeconds: 300, tolerance: "50m" },
    },
  },
  status: {
    observedGeneration: 3,
    currentReplicas: 2,
    desiredReplicas: 4,
    currentMetrics: [
      { type: "Resource", resource: { name: "memory", current: { averageValue: "900Mi" } } },
      { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 0, averageValue: "0" } } },
      {
        type: "ContainerResource",
        containerResource: { name: "cpu", container: "app", current: { averageUtilization: 41, averageValue: "82m" } },
      },
      { type: "Pods", pods: { metric, current: { averageValue: "12" } } },
      { type: "Object", object: { describedObject: described, metric, current: { value: "55" } } },
      { type: "Object", object: { describedObject: described, metric, current: { averageValue: "5" } } },
      { type: "External", external: { metric, current: { averageValue: "2" } } },
    ],
    conditions: [{ type: "AbleToScale", status: "True", reason: "ReadyForNewScale", message: "ok" }],
  },
});

const bare = (): JsonObject => ({ metadata: { name: "web" }, spec: { maxReplicas: 3 } });

describe.each<[string, Conversion]>([
  ["v1", v1Conversion],
  ["v2beta1", v2beta1Conversion],
])("reading and writing back through %s", (_, conversion) => {
  test.each<[string, () => JsonObject]>([
    ["an autoscaler with everything", whole],
    ["a bare autoscaler", bare],
    [
      "an autoscaler that was never looked at",
      () => ({ ...bare(), status: { currentReplicas: 0, desiredReplicas: 0 } }),
    ],
  ])("loses nothing of %s", (_what, make) => {
    const sent = JSON.parse(JSON.stringify(conversion.fromHub(make(), vocabulary))) as JsonObject;
    expect(conversion.toHub(sent, vocabulary)).toEqual(make());
  });
});

test.each<[string, Conversion]>([
  ["v1", v1Conversion],
  ["v2beta1", v2beta1Conversion],
])("the form of %s has no field that its type does not declare", (version, conversion) => {
  const type = loadSchema(vocabulary).objectType("autoscaling", version, "HorizontalPodAutoscaler");
  const shown = conversion.fromHub({ apiVersion: "", kind: "", ...whole() }, vocabulary);
  expect(type?.decode(shown).problems).toEqual([]);
});

describe("v1", () => {
  test("shows the processor's percentages as fields and the rest as annotations", () => {
    const shown = v1Conversion.fromHub(whole(), vocabulary);
    expect(shown["spec"]).toEqual({
      scaleTargetRef: { kind: "Deployment", name: "web", apiVersion: "apps/v1" },
      minReplicas: 2,
      maxReplicas: 9,
      targetCPUUtilizationPercentage: 80,
    });
    expect(shown["status"]).toEqual({
      observedGeneration: 3,
      currentReplicas: 2,
      desiredReplicas: 4,
      currentCPUUtilizationPercentage: 0,
    });
    const annotations = (shown["metadata"] as JsonObject)["annotations"] as Record<string, string>;
    expect(Object.keys(annotations).sort()).toEqual([
      "autoscaling.alpha.orch.io/behavior",
      "autoscaling.alpha.orch.io/conditions",
      "autoscaling.alpha.orch.io/current-metrics",
      "autoscaling.alpha.orch.io/metrics",
      "mine",
    ]);
    expect(JSON.parse(annotations["autoscaling.alpha.orch.io/metrics"] ?? "")).toContainEqual({
      type: "Object",
      object: { target: described, metricName: "queue", selector, targetValue: "100" },
    });
  });

  test("a client that knows nothing of metrics can set and change the processor's target", () => {
    const made = v1Conversion.toHub({ metadata: {}, spec: { targetCPUUtilizationPercentage: 80 } }, vocabulary);
    expect((made["spec"] as JsonObject)["metrics"]).toEqual([cpu]);
    const shown = v1Conversion.fromHub(whole(), vocabulary);
    (shown["spec"] as JsonObject)["targetCPUUtilizationPercentage"] = 33;
    const metrics = (v1Conversion.toHub(shown, vocabulary)["spec"] as JsonObject)["metrics"] as JsonObject[];
    expect(metrics).toHaveLength(9);
    expect(metrics[0]).toMatchObject({ resource: { target: { averageUtilization: 33 } } });
  });

  test("a newer utilization in the field wins over the annotation", () => {
    const shown = v1Conversion.fromHub(whole(), vocabulary);
    (shown["status"] as JsonObject)["currentCPUUtilizationPercentage"] = 77;
    const status = v1Conversion.toHub(shown, vocabulary)["status"] as JsonObject;
    expect((status["currentMetrics"] as JsonObject[])[1]).toMatchObject({
      resource: { current: { averageUtilization: 77, averageValue: "0" } },
    });
  });

  test("an annotation that is no JSON stays the client's own", () => {
    const annotations = { "autoscaling.alpha.orch.io/metrics": "{not json" };
    const made = v1Conversion.toHub({ metadata: { annotations: { ...annotations } }, spec: {} }, vocabulary);
    expect(made).toEqual({ metadata: { annotations }, spec: {} });
  });
});
