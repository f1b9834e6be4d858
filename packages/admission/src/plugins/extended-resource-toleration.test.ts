import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { changedPod, newPod, outcomeOf, podOf } from "../testing/plugin-outcome";
import { extendedResourceToleration } from "./extended-resource-toleration";

const added = (key: string) => ({ key, operator: "Exists", effect: "NoSchedule" });
const asking = (name: string, requests: readonly string[]): JsonObject => ({
  name,
  resources: { requests: Object.fromEntries(requests.map((each) => [each, "1"])) },
});

const GPU = "example.com/gpu";

const ROWS: readonly [
  what: string,
  asked: readonly string[],
  inits: readonly string[],
  own: readonly JsonObject[],
  after: readonly JsonObject[],
][] = [
  ["a device", [GPU], [], [], [added(GPU)]],
  ["a device beside what all ask for", ["cpu", GPU, "memory"], [], [], [added(GPU)]],
  [
    "several, in the order of their names",
    ["b.com/x", "a.com/y"],
    ["a.com/x"],
    [],
    [added("a.com/x"), added("a.com/y"), added("b.com/x")],
  ],
  ["a device before it runs", [], [GPU], [], [added(GPU)]],
  ["one twice", [GPU], [GPU], [], [added(GPU)]],
  ["one that is tolerated already", [GPU], [], [added(GPU)], [added(GPU)]],
  [
    "one that is tolerated among others",
    [GPU],
    [],
    [{ key: "z" }, added(GPU), { key: "y" }],
    [{ key: "z" }, added(GPU), { key: "y" }],
  ],
  [
    "one of which a value is tolerated",
    [GPU],
    [],
    [{ ...added(GPU), operator: "Equal", value: "v" }],
    [{ ...added(GPU), operator: "Equal", value: "v" }, added(GPU)],
  ],
  [
    "one of which all is tolerated",
    [GPU],
    [],
    [{ key: GPU, operator: "Exists" }],
    [{ key: GPU, operator: "Exists" }, added(GPU)],
  ],
  ["one that is tolerated for a while", [GPU], [], [{ ...added(GPU), tolerationSeconds: 5 }], [added(GPU)]],
  ["one that is tolerated twice", [GPU], [], [added(GPU), added(GPU)], [added(GPU), added(GPU)]],
  ["what all nodes have", ["cpu", "memory", "ephemeral-storage", "hugepages-2Mi"], [], [], []],
  ["a thing without a domain", ["gpu"], [], [], []],
  ["a thing of the product", ["orch.io/thing"], [], [], []],
  ["a thing of the product's parts", ["batch.orch.io/thing"], [], [], []],
  ["a name that only quotas have", ["requests.example.com/gpu"], [], [], []],
  ["a name that is too long", [`example.com/${"x".repeat(64)}`], [], [], []],
  ["a name of the other vocabulary", ["kubernetes.io/thing"], [], [], [added("kubernetes.io/thing")]],
];

test.each(ROWS)("a pod that asks for %s", async (_what, asked, inits, own, after) => {
  const pod = (tolerations: readonly JsonObject[]) =>
    podOf({
      containers: [asking("c", asked)],
      initContainers: [asking("i", inits)],
      ...(tolerations.length > 0 && { tolerations: tolerations as JsonObject[] }),
    });
  expect(await outcomeOf(extendedResourceToleration, newPod(pod(own)))).toEqual(pod(after));
  expect(await outcomeOf(extendedResourceToleration, changedPod(pod(own), pod(own)))).toEqual(pod(after));
});

test("limits are no requests, and a pod may say nothing of resources", async () => {
  const pod = podOf({ containers: [{ name: "c", resources: { limits: { [GPU]: "1" } } }, { name: "d" }] });
  expect(await outcomeOf(extendedResourceToleration, newPod(pod))).toEqual(pod);
});

test("nothing is tolerated while it is off, nor by parts of pods", async () => {
  const pod = podOf({ containers: [asking("c", [GPU])] });
  expect(await outcomeOf(undefined, newPod(pod))).toEqual(pod);
  const parts = newPod(pod, { subresource: "status", operation: "UPDATE" });
  expect(await outcomeOf(extendedResourceToleration, parts)).toEqual(pod);
});
