import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import type { ObjectReader } from "../contract/dependencies";
import { fakeDependencies, requestOf } from "../testing/admission-request";
import { changedPod, newPod, outcomeOf, podOf } from "../testing/plugin-outcome";
import { storedObjects } from "../testing/stored-objects";
import { runtimeClass } from "./runtime-class";

const runtime = (name: string, more: JsonObject = {}): JsonObject => ({
  kind: "RuntimeClass",
  apiVersion: "node.orch.io/v1",
  metadata: { name },
  handler: "h",
  ...more,
});

const COST = { cpu: "100m", memory: "64Mi" };
const EXISTS = { key: "a", operator: "Exists" };
const CLASSES = [
  runtime("plain"),
  runtime("costly", { overhead: { podFixed: COST } }),
  runtime("free", { overhead: { podFixed: {} } }),
  runtime("vague", { overhead: {} }),
  runtime("placed", { scheduling: { nodeSelector: { disk: "fast", zone: "a" } } }),
  runtime("tolerant", { scheduling: { tolerations: [EXISTS, { key: "b", operator: "Equal", value: "v" }] } }),
  runtime("anywhere", { scheduling: {} }),
  runtime("both", {
    overhead: { podFixed: COST },
    scheduling: { nodeSelector: { disk: "fast" }, tolerations: [EXISTS] },
  }),
];
const stored = storedObjects(CLASSES);
const options = (isOn: boolean) => ({
  notReadyTolerationSeconds: 300,
  unreachableTolerationSeconds: 300,
  isOn: () => isOn,
});

const OTHER = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const OF_NONE = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
const conflict = (key: string, wanted: string, own: string): string =>
  `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${wanted}; pod.spec.nodeSelector[${key}] = ${own}`;

/** @param after the spec without class and containers */
type Row = [name: string | undefined, own: JsonObject, after: JsonObject | string];

const ROWS: readonly Row[] = [
  [undefined, {}, {}],
  [
    undefined,
    { nodeSelector: { disk: "slow" }, tolerations: [EXISTS] },
    { nodeSelector: { disk: "slow" }, tolerations: [EXISTS] },
  ],
  [undefined, { overhead: COST }, OF_NONE],
  ["none", {}, 'pod rejected: RuntimeClass "none" not found'],
  ["none", { overhead: COST }, 'pod rejected: RuntimeClass "none" not found'],
  ["", {}, 'pod rejected: RuntimeClass "" not found'],
  ["plain", {}, {}],
  ["plain", { overhead: COST }, OF_NONE],
  ["costly", {}, { overhead: COST }],
  ["costly", { overhead: COST }, { overhead: COST }],
  ["costly", { overhead: { memory: "64Mi", cpu: "100m" } }, { overhead: COST }],
  ["costly", { overhead: { cpu: "100m" } }, OTHER],
  ["costly", { overhead: { ...COST, cpu: "200m" } }, OTHER],
  ["costly", { overhead: { ...COST, "example.com/gpu": "1" } }, OTHER],
  ["free", {}, {}],
  ["free", { overhead: COST }, OTHER],
  ["vague", {}, {}],
  ["vague", { overhead: COST }, OTHER],
  ["placed", {}, { nodeSelector: { disk: "fast", zone: "a" } }],
  ["placed", { nodeSelector: { own: "x" } }, { nodeSelector: { own: "x", disk: "fast", zone: "a" } }],
  ["placed", { nodeSelector: { disk: "fast" } }, { nodeSelector: { disk: "fast", zone: "a" } }],
  ["placed", { nodeSelector: { disk: "slow" } }, conflict("disk", "fast", "slow")],
  ["placed", { nodeSelector: { zone: "" } }, conflict("zone", "a", "")],
  ["tolerant", {}, { tolerations: [EXISTS, { key: "b", operator: "Equal", value: "v" }] }],
  [
    "tolerant",
    { tolerations: [{ key: "c" }] },
    { tolerations: [{ key: "c" }, EXISTS, { key: "b", operator: "Equal", value: "v" }] },
  ],
  ["tolerant", { tolerations: [{ operator: "Exists" }] }, { tolerations: [{ operator: "Exists" }] }],
  [
    "tolerant",
    {
      tolerations: [
        { key: "a", operator: "Equal", value: "x" },
        { key: "b", operator: "Exists" },
      ],
    },
    { tolerations: [{ key: "b", operator: "Exists" }, EXISTS] },
  ],
  [
    "anywhere",
    { tolerations: [EXISTS], nodeSelector: { a: "b" } },
    { tolerations: [EXISTS], nodeSelector: { a: "b" } },
  ],
  ["both", {}, { overhead: COST, nodeSelector: { disk: "fast" }, tolerations: [EXISTS] }],
  ["both", { nodeSelector: { disk: "slow" }, overhead: { cpu: "1" } }, OTHER],
];

const specOf = (name: string | undefined, more: JsonObject): JsonObject => ({
  ...(name !== undefined && { runtimeClassName: name }),
  ...more,
});

test.each(ROWS)("a pod of the class %j with %j", async (name, own, after) => {
  const expected = typeof after === "string" ? `403 pods "p" is forbidden: ${after}` : podOf(specOf(name, after));
  expect(await outcomeOf(runtimeClass, newPod(podOf(specOf(name, own))), { dependencies: stored })).toEqual(expected);
});

test.each<Row>([
  ["costly", {}, {}],
  ["costly", { overhead: { cpu: "1" } }, { overhead: { cpu: "1" } }],
  [undefined, { overhead: COST }, { overhead: COST }],
  ["both", {}, { nodeSelector: { disk: "fast" }, tolerations: [EXISTS] }],
  ["none", {}, 'pod rejected: RuntimeClass "none" not found'],
])("a pod of the class %j with %j, without the feature PodOverhead", async (name, own, after) => {
  const expected = typeof after === "string" ? `403 pods "p" is forbidden: ${after}` : podOf(specOf(name, after));
  const dependencies = { ...stored, options: options(false) };
  expect(await outcomeOf(runtimeClass, newPod(podOf(specOf(name, own))), { dependencies })).toEqual(expected);
});

test.each<[name: string, overhead: JsonObject | undefined, refusal: string]>([
  ["costly", undefined, OTHER],
  ["costly", { cpu: "1" }, OTHER],
  ["plain", COST, OF_NONE],
])("overhead that others have changed since, of the class %j to %j", async (name, overhead, refusal) => {
  const { validate } = runtimeClass.make(fakeDependencies(stored));
  const pod = podOf(specOf(name, overhead === undefined ? {} : { overhead }));
  await expect((async () => validate?.(requestOf(newPod(pod))))()).rejects.toThrow(`pods "p" is forbidden: ${refusal}`);
});

test("a class that a cache has not heard of is asked of the store", async () => {
  const behind: ObjectReader = {
    ...stored.objects,
    lister: (resource) => ({ ...stored.objects.lister(resource), find: async () => undefined }),
  };
  const pod = newPod(podOf(specOf("costly", {})));
  const after = podOf(specOf("costly", { overhead: COST }));
  expect(await outcomeOf(runtimeClass, pod, { dependencies: { ...stored, objects: behind } })).toEqual(after);
});

test.each([
  ["pods that are changed", changedPod(podOf(specOf("none", {})), podOf())],
  ["parts of pods", newPod(podOf(specOf("none", {})), { subresource: "binding" })],
  ["other kinds", { object: podOf(specOf("none", {})) }],
])("%s are not looked at", async (_what, parts) => {
  expect(await outcomeOf(runtimeClass, parts, { dependencies: stored })).toEqual(parts.object);
});

test("nothing happens while it is off", async () => {
  const pod = podOf(specOf("none", { overhead: COST }));
  expect(await outcomeOf(undefined, newPod(pod), { dependencies: stored })).toEqual(pod);
});
