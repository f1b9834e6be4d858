// Table tests of what quotas count of a pod, by release. Source:
// staging/src/k8s.io/component-helpers/resource/helpers.go; pkg/quota/v1/evaluator/core/pods.go.
import { describe, expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { podsEvaluator } from "./pods-evaluator";
import { amountsOf } from "./usage";

const of = (release: string, gates: Readonly<Record<string, boolean>> | undefined = undefined) =>
  podsEvaluator(vocabularyOf("kubernetes"), release, gates && ((gate) => gates[gate] === true));

type Amounts = Readonly<Record<string, string>>;
const resources = (requests: Amounts, limits: Amounts = {}): JsonObject => ({ resources: { requests, limits } });
const container = (name: string, requests: Amounts, limits: Amounts = {}): JsonObject => ({
  name,
  ...resources(requests, limits),
});
const sidecar = (name: string, requests: Amounts, limits: Amounts = {}): JsonObject => ({
  ...container(name, requests, limits),
  restartPolicy: "Always",
});
const state = (name: string, requests: Amounts, limits: Amounts = {}, allocatedResources: Amounts = requests) => ({
  ...container(name, requests, limits),
  allocatedResources: { ...allocatedResources },
});
const pending = (reason: string): JsonObject => ({ conditions: [{ type: "PodResizePending", reason }] });

/** Returns the counted requests and limits of processors and memory. */
function counted(release: string, pod: JsonObject): string {
  const evaluator = of(release);
  const [whole, essence] = [pod, evaluator.essence(pod)].map((each) => amountsOf(evaluator.usage(each, { nowMs: 0 })));
  expect(essence).toEqual(whole);
  const names = ["requests.cpu", "limits.cpu", "requests.memory", "limits.memory", "requests.hugepages-2Mi"];
  return names.map((name) => `${whole?.[name] ?? "-"}`).join(" ");
}

describe("a quota counts of a pod", () => {
  const resized = { containers: [container("a", { cpu: "1" }, { cpu: "2" })] };
  const smaller = { containerStatuses: [state("a", { cpu: "500m" }, { cpu: "1" })] };
  const larger = { containerStatuses: [state("a", { cpu: "3" }, { cpu: "4" })] };
  const whole = { ...resized, ...resources({ cpu: "4", memory: "1Gi" }, { cpu: "5" }) };
  const overhead = { overhead: { cpu: "100m", memory: "10Mi" } };

  test.each<[string, JsonObject, JsonObject, string, string]>([
    [
      "sidecars together with its containers",
      { containers: [container("a", { cpu: "1" })], initContainers: [sidecar("s", { cpu: "2" }, { cpu: "3" })] },
      {},
      "1.29",
      "3 3 - - -",
    ],
    [
      "an init container together with earlier sidecars only",
      {
        containers: [container("a", { cpu: "1" })],
        initContainers: [
          container("first", { cpu: "5" }),
          sidecar("s", { cpu: "2" }),
          container("second", { cpu: "4" }),
        ],
      },
      {},
      "1.29",
      "6 - - - -",
    ],
    [
      "its containers with sidecars, where an init container asks for less",
      {
        containers: [container("a", { cpu: "3" })],
        initContainers: [sidecar("s", { cpu: "1" }), sidecar("t", { cpu: "1" }), container("i", { cpu: "1" })],
      },
      {},
      "1.29",
      "5 - - - -",
    ],
    ["the spec alone before resize", resized, larger, "1.32", "1 2 - - -"],
    ["larger resources that the node has allocated", resized, larger, "1.33", "3 4 - - -"],
    ["the spec, where the node has allocated less", resized, smaller, "1.33", "1 2 - - -"],
    [
      "allocated resources that are not applied yet",
      resized,
      { containerStatuses: [state("a", { cpu: "1" }, { cpu: "2" }, { cpu: "4" })] },
      "1.36",
      "4 2 - - -",
    ],
    ["a deferred resize", resized, { ...smaller, ...pending("Deferred") }, "1.36", "1 2 - - -"],
    ["no infeasible resize", resized, { ...smaller, ...pending("Infeasible") }, "1.36", "500m 1 - - -"],
    [
      "no status without resources",
      resized,
      { containerStatuses: [{ name: "a", allocatedResources: { cpu: "3" } }] },
      "1.36",
      "1 2 - - -",
    ],
    [
      "the allocated resources of sidecars, not of other init containers",
      { containers: [{ name: "a" }], initContainers: [sidecar("s", { cpu: "1" }), container("i", { cpu: "1" })] },
      { initContainerStatuses: [state("s", { cpu: "2" }), state("i", { cpu: "8" })] },
      "1.36",
      "3 - - - -",
    ],
    ["its containers before pod-level resources", whole, {}, "1.33", "1 2 - - -"],
    ["pod-level resources in place of its containers", whole, {}, "1.34", "4 5 1Gi - -"],
    [
      "resources of containers that the pod-level ones lack",
      { containers: [container("a", { cpu: "1", memory: "1Gi" })], ...resources({ "hugepages-2Mi": "4Mi" }) },
      {},
      "1.34",
      "1 - 1Gi - 4Mi",
    ],
    [
      "no pod-level resource of another name",
      { containers: [container("a", { cpu: "1" })], ...resources({ "ephemeral-storage": "1Gi" }) },
      {},
      "1.36",
      "1 - - - -",
    ],
    [
      "its overhead in addition to pod-level resources",
      { ...whole, ...overhead },
      {},
      "1.34",
      "4100m 5100m 1034Mi - -",
    ],
    ["its overhead in addition to all limits", { ...resized, ...overhead }, {}, "1.26", "1100m 2100m 10Mi 10Mi -"],
    ["its overhead in addition to limits that it has", { ...resized, ...overhead }, {}, "1.27", "1100m 2100m 10Mi - -"],
  ])("%s: %#", (_, spec, status, release, expected) => {
    expect(counted(release, { metadata: { name: "p", namespace: "shop" }, spec, status })).toBe(expected);
  });
});

describe("a pod with resources of its own", () => {
  const pod = { spec: { containers: [{ name: "a" }], ...resources({ cpu: "1" }) } };

  test.each([
    ["1.33", "cpu for: a"],
    ["1.34", undefined],
    ["1.36", undefined],
  ])("needs requests of its containers in %s: %p", (release, expected) => {
    expect(of(release).missing?.(pod, ["cpu"])).toBe(expected);
  });

  test("needs those of its containers where the gate is off", () => {
    expect(of("1.36", { PodLevelResources: false }).missing?.(pod, ["cpu"])).toBe("cpu for: a");
  });

  test.each([
    ["1.33", true],
    ["1.34", false],
  ])("is in the scope BestEffort in %s: %p", (release, expected) => {
    expect(of(release).inScope?.(pod, { scopeName: "BestEffort", operator: "Exists", values: [] })).toBe(expected);
  });

  test("needs requests of its containers where it sets no amount", () => {
    const empty = { spec: { containers: [{ name: "a" }], resources: {} } };
    expect(of("1.36").missing?.(empty, ["cpu"])).toBe("cpu for: a");
  });
});
