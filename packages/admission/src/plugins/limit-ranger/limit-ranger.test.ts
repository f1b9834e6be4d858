import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { fakeDependencies, requestOf } from "../../testing/admission-request";
import { changedPod, newPod, outcomeOf, podOf } from "../../testing/plugin-outcome";
import { storedObjects } from "../../testing/stored-objects";
import { limitRanger } from "./limit-ranger";

type Resources = { readonly requests?: JsonObject; readonly limits?: JsonObject };

const asks = (requests: JsonObject, limits?: JsonObject): Resources => ({ requests, ...(limits && { limits }) });
const may = (limits: JsonObject): Resources => ({ limits });
const NOTHING: Resources = {};

const range = (name: string, ...limits: JsonObject[]): JsonObject => ({
  kind: "LimitRange",
  apiVersion: "v1",
  metadata: { name, namespace: "shop" },
  spec: { limits },
});

const inShop = (...ranges: JsonObject[]) => ({ dependencies: storedObjects(ranges) });

const containersOf = (prefix: string, all: readonly Resources[]): JsonObject[] =>
  all.map((resources, at) => ({
    name: `${prefix}${at}`,
    image: "i",
    ...(resources !== NOTHING && { resources: resources as JsonObject }),
  }));

const podThat = (containers: readonly Resources[], init: readonly Resources[] = []): JsonObject =>
  podOf({
    containers: containersOf("c", containers),
    ...(init.length > 0 && { initContainers: containersOf("i", init) }),
  });

const told = (text: string): JsonObject => ({
  annotations: { "orch.io/limit-ranger": `LimitRanger plugin set: ${text}` },
});

/** Resources of the containers c0, c1, … and i0, i1, … of a pod, before and after. */
type Filled = [
  what: string,
  ranges: readonly JsonObject[],
  before: readonly [containers: readonly Resources[], init?: readonly Resources[]],
  after: readonly [containers: readonly Resources[], init?: readonly Resources[]],
  told: string | undefined,
];

const BOTH = range("a", { type: "Container", default: { cpu: "200m" }, defaultRequest: { cpu: "100m" } });
const MEMORY = range("b", { type: "Container", default: { memory: "1Gi" }, defaultRequest: { memory: "64Mi" } });
const OTHER_CPU = range("b", { type: "Container", default: { cpu: "9", memory: "1Gi" }, defaultRequest: { cpu: "8" } });
const HALF = asks({ cpu: "50m" });

const FILLED: readonly Filled[] = [
  [
    "a container that says nothing",
    [BOTH],
    [[NOTHING]],
    [[asks({ cpu: "100m" }, { cpu: "200m" })]],
    "cpu request for container c0; cpu limit for container c0",
  ],
  [
    "a container with empty resources",
    [BOTH],
    [[{ requests: {}, limits: {} }]],
    [[asks({ cpu: "100m" }, { cpu: "200m" })]],
    "cpu request for container c0; cpu limit for container c0",
  ],
  [
    "what it may use, where it says what it asks for",
    [BOTH],
    [[HALF]],
    [[asks({ cpu: "50m" }, { cpu: "200m" })]],
    "cpu limit for container c0",
  ],
  [
    "what it asks for, where it says what it may use",
    [BOTH],
    [[may({ cpu: "1" })]],
    [[asks({ cpu: "100m" }, { cpu: "1" })]],
    "cpu request for container c0",
  ],
  [
    "nothing where all is said",
    [BOTH],
    [[asks({ cpu: "0" }, { cpu: "0" })]],
    [[asks({ cpu: "0" }, { cpu: "0" })]],
    undefined,
  ],
  [
    "what is missing beside other resources",
    [BOTH],
    [[asks({ memory: "1Gi" }, { memory: "1Gi" })]],
    [[asks({ memory: "1Gi", cpu: "100m" }, { memory: "1Gi", cpu: "200m" })]],
    "cpu request for container c0; cpu limit for container c0",
  ],
  [
    "each container, and those that run before",
    [BOTH],
    [[NOTHING, HALF], [NOTHING]],
    [
      [asks({ cpu: "100m" }, { cpu: "200m" }), asks({ cpu: "50m" }, { cpu: "200m" })],
      [asks({ cpu: "100m" }, { cpu: "200m" })],
    ],
    "cpu request for container c0; cpu limit for container c0; cpu limit for container c1; " +
      "cpu request for init container i0; cpu limit for init container i0",
  ],
  [
    "several resources, in the order of their names",
    [range("a", { type: "Container", defaultRequest: { memory: "1Gi", cpu: "1", "example.com/gpu": "1" } })],
    [[NOTHING]],
    [[asks({ memory: "1Gi", cpu: "1", "example.com/gpu": "1" })]],
    "cpu, example.com/gpu, memory request for container c0",
  ],
  [
    "by every range, and tells of the last",
    [BOTH, MEMORY],
    [[NOTHING]],
    [[asks({ cpu: "100m", memory: "64Mi" }, { cpu: "200m", memory: "1Gi" })]],
    "memory request for container c0; memory limit for container c0",
  ],
  [
    "by the first range where two say the same",
    [BOTH, OTHER_CPU],
    [[NOTHING]],
    [[asks({ cpu: "100m" }, { cpu: "200m", memory: "1Gi" })]],
    "memory limit for container c0",
  ],
  [
    "by the last that has something to give",
    [BOTH, range("b", { type: "Container", default: { cpu: "5" } })],
    [[NOTHING]],
    [[asks({ cpu: "100m" }, { cpu: "200m" })]],
    "cpu request for container c0; cpu limit for container c0",
  ],
  [
    "by the later item of one range",
    [range("a", { type: "Container", default: { cpu: "1" } }, { type: "Container", default: { cpu: "2" } })],
    [[NOTHING]],
    [[may({ cpu: "2" })]],
    "cpu limit for container c0",
  ],
  ["nothing by what is said of pods", [range("a", { type: "Pod", min: { cpu: "0" } })], [[HALF]], [[HALF]], undefined],
  [
    "nothing by what is said of claims",
    [range("a", { type: "PersistentVolumeClaim", max: { storage: "1" } })],
    [[NOTHING]],
    [[NOTHING]],
    undefined,
  ],
  [
    "nothing by what is said of things of others",
    [range("a", { type: "example.com/thing", default: { cpu: "1" } })],
    [[NOTHING]],
    [[NOTHING]],
    undefined,
  ],
  ["nothing by an empty range", [range("a")], [[NOTHING]], [[NOTHING]], undefined],
];

test.each(FILLED)("gives %s", async (_what, ranges, before, after, text) => {
  const expected = podThat(...after);
  const metadata = { ...(expected["metadata"] as JsonObject), ...(text !== undefined && told(text)) };
  expect(await outcomeOf(limitRanger, newPod(podThat(...before)), inShop(...ranges))).toEqual({
    ...expected,
    metadata,
  });
});

test("keeps the annotations that are there", async () => {
  const pod = podOf({}, { annotations: { a: "b" } });
  const { metadata } = (await outcomeOf(limitRanger, newPod(pod), inShop(MEMORY))) as JsonObject;
  const text = "LimitRanger plugin set: memory request for container c; memory limit for container c";
  expect(metadata).toMatchObject({ annotations: { a: "b", "orch.io/limit-ranger": text } });
});

const MIN = { type: "Container", min: { cpu: "100m" } };
const MAX = { type: "Container", max: { cpu: "1" } };
const RATIO = { type: "Container", maxLimitRequestRatio: { cpu: "2" } };
const POD_MIN = { type: "Pod", min: { cpu: "100m" } };
const POD_MAX = { type: "Pod", max: { memory: "1Gi" } };
const POD_RATIO = { type: "Pod", maxLimitRequestRatio: { cpu: "1500m" } };

/** Refusal of a pod by a range; undefined when it is allowed. */
type Judged = [
  item: JsonObject,
  containers: readonly Resources[],
  init: readonly Resources[],
  refusal: string | undefined,
];

const JUDGED: readonly Judged[] = [
  [MIN, [NOTHING], [], "minimum cpu usage per Container is 100m.  No request is specified"],
  [MIN, [asks({})], [], "minimum cpu usage per Container is 100m.  No request is specified"],
  [MIN, [may({ cpu: "1" })], [], "minimum cpu usage per Container is 100m.  No request is specified"],
  [MIN, [asks({ memory: "1Gi" })], [], "minimum cpu usage per Container is 100m.  No request is specified"],
  [MIN, [asks({ cpu: "50m" })], [], "minimum cpu usage per Container is 100m, but request is 50m"],
  [MIN, [asks({ cpu: "99m" })], [], "minimum cpu usage per Container is 100m, but request is 99m"],
  [MIN, [asks({ cpu: "0" })], [], "minimum cpu usage per Container is 100m, but request is 0"],
  [MIN, [asks({ cpu: "100m" })], [], undefined],
  [MIN, [asks({ cpu: "1" })], [], undefined],
  [MIN, [asks({ cpu: "100m" }, { cpu: "50m" })], [], "minimum cpu usage per Container is 100m, but limit is 50m"],
  [MIN, [asks({ cpu: "50m" }, { cpu: "50m" })], [], "minimum cpu usage per Container is 100m, but request is 50m"],
  [MIN, [asks({ cpu: "100m" }, { cpu: "100m" })], [], undefined],
  [MIN, [asks({ cpu: "1" }), asks({ cpu: "10m" })], [], "minimum cpu usage per Container is 100m, but request is 10m"],
  [MIN, [asks({ cpu: "1" })], [asks({ cpu: "10m" })], "minimum cpu usage per Container is 100m, but request is 10m"],
  [
    MIN,
    [asks({ cpu: "10m" }), asks({ cpu: "10m" })],
    [],
    "minimum cpu usage per Container is 100m, but request is 10m",
  ],
  [
    MIN,
    [asks({ cpu: "20m" }), asks({ cpu: "10m" })],
    [NOTHING],
    "[minimum cpu usage per Container is 100m, but request is 20m, minimum cpu usage per Container is 100m, but request is 10m, " +
      "minimum cpu usage per Container is 100m.  No request is specified]",
  ],
  [MAX, [NOTHING], [], "maximum cpu usage per Container is 1.  No limit is specified"],
  [MAX, [asks({ cpu: "100m" })], [], "maximum cpu usage per Container is 1.  No limit is specified"],
  [MAX, [may({ memory: "1Gi" })], [], "maximum cpu usage per Container is 1.  No limit is specified"],
  [MAX, [may({ cpu: "1" })], [], undefined],
  [MAX, [may({ cpu: "1001m" })], [], "maximum cpu usage per Container is 1, but limit is 1001m"],
  [MAX, [asks({ cpu: "2" }, { cpu: "3" })], [], "maximum cpu usage per Container is 1, but limit is 3"],
  [MAX, [asks({ cpu: "2" }, { cpu: "1" })], [], "maximum cpu usage per Container is 1, but request is 2"],
  [MAX, [asks({ cpu: "500m" }, { cpu: "1" })], [], undefined],
  [MAX, [may({ cpu: "1" })], [may({ cpu: "2" })], "maximum cpu usage per Container is 1, but limit is 2"],
  [
    { type: "Container", max: { memory: "1G" } },
    [may({ memory: "1Gi" })],
    [],
    "maximum memory usage per Container is 1G, but limit is 1Gi",
  ],
  [{ type: "Container", max: { memory: "1Gi" } }, [may({ memory: "1G" })], [], undefined],
  [{ type: "Container", max: { memory: "9E" } }, [may({ memory: "8E" })], [], undefined],
  [
    { type: "Container", max: { memory: "8E" } },
    [may({ memory: "9E" })],
    [],
    "maximum memory usage per Container is 8E, but limit is 9E",
  ],
  [
    { type: "Container", min: { cpu: "1", memory: "1Gi" }, max: { cpu: "2" } },
    [NOTHING],
    [],
    "[minimum cpu usage per Container is 1.  No request is specified, minimum memory usage per Container is 1Gi.  No request is specified, " +
      "maximum cpu usage per Container is 2.  No limit is specified]",
  ],
  [
    RATIO,
    [NOTHING],
    [],
    "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
  ],
  [
    RATIO,
    [may({ cpu: "1" })],
    [],
    "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
  ],
  [
    RATIO,
    [asks({ cpu: "0" }, { cpu: "1" })],
    [],
    "cpu max limit to request ratio per Container is 2, but no request is specified or request is 0",
  ],
  [
    RATIO,
    [asks({ cpu: "1" })],
    [],
    "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
  ],
  [
    RATIO,
    [asks({ cpu: "1" }, { cpu: "0" })],
    [],
    "cpu max limit to request ratio per Container is 2, but no limit is specified or limit is 0",
  ],
  [RATIO, [asks({ cpu: "100m" }, { cpu: "200m" })], [], undefined],
  [RATIO, [asks({ cpu: "100m" }, { cpu: "150m" })], [], undefined],
  [
    RATIO,
    [asks({ cpu: "100m" }, { cpu: "201m" })],
    [],
    "cpu max limit to request ratio per Container is 2, but provided ratio is 2.010000",
  ],
  [
    RATIO,
    [asks({ cpu: "333m" }, { cpu: "1" })],
    [],
    "cpu max limit to request ratio per Container is 2, but provided ratio is 3.003003",
  ],
  [
    RATIO,
    [asks({ cpu: "1" }, { cpu: "1" })],
    [asks({ cpu: "1" }, { cpu: "3" })],
    "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
  ],
  [
    { type: "Container", maxLimitRequestRatio: { memory: "1500m" } },
    [asks({ memory: "2Gi" }, { memory: "3Gi" })],
    [],
    undefined,
  ],
  [
    { type: "Container", maxLimitRequestRatio: { memory: "1500m" } },
    [asks({ memory: "1Gi" }, { memory: "2Gi" })],
    [],
    "memory max limit to request ratio per Container is 1500m, but provided ratio is 2.000000",
  ],
  [POD_MIN, [NOTHING], [], "minimum cpu usage per Pod is 100m.  No request is specified"],
  [POD_MIN, [asks({ cpu: "60m" }), asks({ cpu: "60m" })], [], undefined],
  [POD_MIN, [asks({ cpu: "40m" }), asks({ cpu: "40m" })], [], "minimum cpu usage per Pod is 100m, but request is 80m"],
  [POD_MIN, [asks({ cpu: "1" }), NOTHING], [], "minimum cpu usage per Pod is 100m.  No request is specified"],
  [POD_MIN, [NOTHING], [asks({ cpu: "200m" })], undefined],
  [POD_MIN, [asks({ cpu: "40m" })], [asks({ cpu: "90m" })], "minimum cpu usage per Pod is 100m, but request is 90m"],
  [POD_MIN, [asks({ cpu: "100m" }, { cpu: "100m" })], [asks({ cpu: "10m" })], undefined],
  [POD_MIN, [asks({ cpu: "100m" }, { cpu: "50m" })], [], "minimum cpu usage per Pod is 100m, but limit is 50m"],
  [POD_MAX, [may({ memory: "512Mi" }), may({ memory: "512Mi" })], [], undefined],
  [
    POD_MAX,
    [may({ memory: "1Gi" }), may({ memory: "1Gi" })],
    [],
    "maximum memory usage per Pod is 1Gi, but limit is 2147483648",
  ],
  [POD_MAX, [may({ memory: "1Gi" }), NOTHING], [], "maximum memory usage per Pod is 1Gi.  No limit is specified"],
  [
    POD_MAX,
    [may({ memory: "1Gi" })],
    [may({ memory: "2Gi" })],
    "maximum memory usage per Pod is 1Gi, but limit is 2Gi",
  ],
  [POD_MAX, [may({ memory: "1Gi" })], [may({ memory: "1Gi" }), may({ memory: "1Gi" })], undefined],
  [
    POD_MAX,
    [asks({ memory: "2Gi" }, { memory: "1Gi" })],
    [],
    "maximum memory usage per Pod is 1Gi, but request is 2147483648",
  ],
  [POD_RATIO, [asks({ cpu: "1" }, { cpu: "1" }), asks({ cpu: "1" }, { cpu: "2" })], [], undefined],
  [
    POD_RATIO,
    [asks({ cpu: "1" }, { cpu: "2" }), asks({ cpu: "1" }, { cpu: "2" })],
    [],
    "cpu max limit to request ratio per Pod is 1500m, but provided ratio is 2.000000",
  ],
  [{ type: "example.com/thing", max: { cpu: "1m" } }, [NOTHING], [], undefined],
  [{ type: "PersistentVolumeClaim", max: { storage: "1" } }, [NOTHING], [], undefined],
];

test.each(JUDGED)("%j and a pod of %j and %j", async (item, containers, init, refusal) => {
  const pod = podThat(containers, init);
  const expected = refusal === undefined ? pod : `403 pods "p" is forbidden: ${refusal}`;
  expect(await outcomeOf(limitRanger, newPod(pod), inShop(range("a", item)))).toEqual(expected);
});

const CLAIM = { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "10Gi" } };
const claim = (requests: JsonObject, limits: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: "v", namespace: "shop", ...metadata },
  spec: { resources: { requests, limits } },
});

test.each<[asked: JsonObject, limits: JsonObject, refusal: string | undefined]>([
  [{ storage: "1Gi" }, {}, undefined],
  [{ storage: "10Gi" }, {}, undefined],
  [{ storage: "512Mi" }, {}, "minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 512Mi"],
  [{ storage: "11Gi" }, {}, "maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 11Gi"],
  [{ storage: "5Gi" }, { storage: "1" }, undefined],
  [{ storage: "5Gi" }, { storage: "100Gi" }, undefined],
  [
    {},
    {},
    "[minimum storage usage per PersistentVolumeClaim is 1Gi.  No request is specified, " +
      "maximum storage usage per PersistentVolumeClaim is 10Gi.  No request is specified]",
  ],
])("a claim for %j, with limits of %j", async (requests, limits, refusal) => {
  const object = claim(requests, limits);
  const parts = { plural: "persistentvolumeclaims", name: "v", object };
  const expected = refusal === undefined ? object : `403 persistentvolumeclaims "v" is forbidden: ${refusal}`;
  expect(await outcomeOf(limitRanger, parts, inShop(range("a", CLAIM)))).toEqual(expected);
  expect(
    await outcomeOf(limitRanger, { ...parts, operation: "UPDATE", oldObject: object }, inShop(range("a", CLAIM))),
  ).toEqual(expected);
});

describe("looks at nothing", () => {
  const small = claim({ storage: "1" });
  const dependencies = inShop(range("a", CLAIM, MIN));
  test.each([
    ["where the namespace has no ranges", newPod(podOf()), inShop()],
    ["where others have", newPod(podOf(), { namespace: "old" }), dependencies],
    ["when a pod changes", changedPod(podOf(), podOf()), dependencies],
    ["in parts of pods", newPod(podOf(), { subresource: "binding" }), dependencies],
    [
      "in the status of claims",
      {
        plural: "persistentvolumeclaims",
        subresource: "status",
        operation: "UPDATE",
        object: small,
        oldObject: small,
      } as const,
      dependencies,
    ],
    [
      "when a claim that is being deleted changes",
      {
        plural: "persistentvolumeclaims",
        operation: "UPDATE",
        object: small,
        oldObject: claim({ storage: "1" }, {}, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      } as const,
      dependencies,
    ],
    ["in other kinds", { object: podOf() }, dependencies],
  ])("%s", async (_when, parts, setting) => {
    expect(await outcomeOf(limitRanger, parts, setting)).toEqual(parts.object);
  });

  test("when it is off", async () => {
    expect(await outcomeOf(undefined, newPod(podOf()), dependencies)).toEqual(podOf());
  });
});

test("the first range that refuses tells all it has", async () => {
  const ranges = [range("a", MAX), range("b", MIN, POD_MAX), range("c", RATIO)];
  expect(await outcomeOf(limitRanger, newPod(podThat([may({ cpu: "1" })])), inShop(...ranges))).toBe(
    '403 pods "p" is forbidden: [minimum cpu usage per Container is 100m.  No request is specified, ' +
      "maximum memory usage per Pod is 1Gi.  No limit is specified]",
  );
});

test.each<[bounds: readonly string[], limit: string, refusing: string | undefined]>([
  [["3", "2", "1"], "4", "3"],
  [["3", "2", "1"], "2500m", "2"],
  [["3", "2", "1"], "1500m", "1"],
  [["3", "2", "1"], "1", undefined],
  [["3", "1", "2"], "2500m", "1"],
  [["1", "2", "3"], "4", "1"],
  [["1", "2", "3"], "1", undefined],
  [["5", "4", "4", "3", "2", "1"], "3500m", "3"],
])("with maximums %j, the first that is lower than %s rejects", async (bounds, limit, refusing) => {
  const ranges = bounds.map((cpu, at) => range(`r${at}`, { type: "Container", max: { cpu } }));
  const pod = podThat([may({ cpu: limit }), may({ cpu: "1" })]);
  const refusal = `403 pods "p" is forbidden: maximum cpu usage per Container is ${refusing}, but limit is ${limit}`;
  expect(await outcomeOf(limitRanger, newPod(pod), inShop(...ranges))).toEqual(refusing === undefined ? pod : refusal);
});

test.each<[bounds: readonly string[], request: string, refusing: string | undefined]>([
  [["1", "2", "3"], "500m", "1"],
  [["1", "2", "3"], "2500m", "3"],
  [["1", "3", "2"], "1500m", "3"],
  [["3", "2", "1"], "3", undefined],
])("with minimums %j, the first that is greater than %s rejects", async (bounds, request, refusing) => {
  const ranges = bounds.map((cpu, at) => range(`r${at}`, { type: "Container", min: { cpu } }));
  const pod = podThat([asks({ cpu: request })]);
  const refusal = `403 pods "p" is forbidden: minimum cpu usage per Container is ${refusing}, but request is ${request}`;
  expect(await outcomeOf(limitRanger, newPod(pod), inShop(...ranges))).toEqual(refusing === undefined ? pod : refusal);
});

test("default values must satisfy the bounds", async () => {
  const item = { type: "Container", default: { cpu: "3" }, max: { cpu: "2" } };
  expect(await outcomeOf(limitRanger, newPod(podThat([NOTHING])), inShop(range("a", item)))).toBe(
    '403 pods "p" is forbidden: maximum cpu usage per Container is 2, but limit is 3',
  );
});

describe("objects that are large", () => {
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, at) => [`example.com/r${at}`, "1"]));
  const containers = Array.from({ length: 100 }, () => NOTHING);

  test("do not become many times as large", async () => {
    const setting = inShop(range("a", { type: "Container", default: many }));
    expect(await outcomeOf(limitRanger, newPod(podThat(containers)), setting)).toBe(
      '403 pods "p" is forbidden: limit ranges set more than 2500 values in its containers',
    );
  });

  test("are told a hundred things", async () => {
    const setting = inShop(range("a", { type: "Container", min: many }));
    const refusal = await outcomeOf(limitRanger, newPod(podThat([NOTHING])), setting);
    expect(String(refusal).split("No request is specified")).toHaveLength(101);
  });

  test("take turns with others", async () => {
    let waits = 0;
    const yielder = {
      isOver: true,
      next: async () => {
        waits += 1;
      },
    };
    const ranges = Array.from({ length: 100 }, (_, at) => range(`r${at}`, MIN));
    const request = requestOf(newPod(podThat([asks({ cpu: "1" })])));
    const plugin = limitRanger.make(fakeDependencies({ ...storedObjects(ranges), yielder }));
    await plugin.mutate?.(request, { number: 0, again() {} });
    expect(waits).toBe(101);
    await plugin.validate?.(request);
    expect(waits).toBe(101 + 102);
  });
});
