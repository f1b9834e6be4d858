import { expect, test } from "@jest/globals";
import type { resourceV1, resourceV1alpha3 } from "@orch/schema";
import { isExpired, poolStatus } from "./pool-status";

const NOW = Date.parse("2030-01-01T12:00:00Z");
type Slice = resourceV1.ResourceSlice;

interface Parts {
  readonly generation?: number;
  readonly of?: number;
  readonly devices?: number;
  readonly nodeName?: string;
}

const slice = (name: string, { generation = 1, of = 1, devices = 2, nodeName }: Parts = {}): Slice =>
  ({
    spec: {
      driver: "d",
      pool: { name, generation, resourceSliceCount: of },
      devices: Array.from({ length: devices }, (_, at) => ({ name: `${at}` })),
      ...(nodeName && { nodeName }),
    },
  }) as unknown as Slice;

const request = (spec: object = {}, more: object = {}): resourceV1alpha3.ResourcePoolStatusRequest =>
  ({ metadata: { name: "r" }, spec: { driver: "d", ...spec }, ...more }) as resourceV1alpha3.ResourcePoolStatusRequest;

const complete = (total: number, allocated = 0, slices = 1) => ({
  generation: 1,
  resourceSliceCount: slices,
  totalDevices: total,
  allocatedDevices: allocated,
  availableDevices: Math.max(0, total - allocated),
  unavailableDevices: 0,
});
const missing = (text: string, generation = 1) => ({
  generation,
  validationError: `pool d/p is incomplete: observed ${text} slices at generation ${generation}`,
});

test.each<[string, readonly Slice[], object, readonly object[], number]>([
  ["no slices", [], {}, [], 0],
  ["a pool", [slice("p")], {}, [complete(2)], 0],
  ["allocated devices", [slice("p", { devices: 3 })], {}, [complete(3, 2)], 2],
  ["more allocated devices than it has", [slice("p")], {}, [complete(2, 5)], 5],
  [
    "slices of a node",
    [slice("p", { of: 2, nodeName: "n" }), slice("p", { of: 2, nodeName: "n" })],
    {},
    [{ ...complete(4, 0, 2), nodeName: "n" }],
    0,
  ],
  [
    "slices of several nodes",
    [slice("p", { of: 2, nodeName: "n" }), slice("p", { of: 2, nodeName: "m" })],
    {},
    [complete(4, 0, 2)],
    0,
  ],
  ["a missing slice", [slice("p", { of: 2 })], {}, [missing("1/2")], 0],
  [
    "slices of former generations",
    [slice("p"), slice("p", { generation: 3, devices: 1 }), slice("p", { generation: 2 })],
    {},
    [{ ...complete(1), generation: 3 }],
    0,
  ],
  [
    "a new generation that is not complete",
    [slice("p"), slice("p", { generation: 2, of: 2 })],
    {},
    [missing("1/2", 2)],
    0,
  ],
  ["the pool that the request names", [slice("o"), slice("p")], { poolName: "p" }, [complete(2)], 0],
])("the status tells of %s", (_, slices, spec, expected, allocated) => {
  const objects = { slices: () => slices, allocated: () => allocated };
  const status = poolStatus(request(spec), objects, NOW);
  expect(status.pools ?? []).toEqual(expected.map((pool) => ({ driver: "d", poolName: "p", ...pool })));
  expect(status.poolCount).toBe(expected.length);
});

test("the status lists as many pools as the request allows, by name, and counts all", () => {
  const slices = ["c", "a", "b"].map((name) => slice(name, { of: name === "a" ? 2 : 1 }));
  const { pools, poolCount, conditions } = poolStatus(
    request({ limit: 2 }),
    { slices: () => slices, allocated: () => 0 },
    NOW,
  );
  expect([pools?.map(({ poolName }) => poolName), poolCount]).toEqual([["a", "b"], 3]);
  expect(conditions).toEqual([
    {
      type: "Complete",
      status: "True",
      reason: "CalculationComplete",
      message: "Calculated status for 2 pools (1 incomplete)",
      lastTransitionTime: "2030-01-01T12:00:00Z",
    },
  ]);
});

const answered = (type: string, lastTransitionTime: string) => ({
  metadata: { creationTimestamp: "2029-12-01T00:00:00Z" },
  status: { conditions: [{ type, status: "True", lastTransitionTime }] },
});

test.each<[string, object, boolean]>([
  ["answered an hour ago is kept", answered("Complete", "2030-01-01T11:00:00Z"), false],
  ["answered longer ago is deleted", answered("Complete", "2030-01-01T10:59:59Z"), true],
  ["that failed longer ago is deleted", answered("Failed", "2030-01-01T10:59:59Z"), true],
  ["with another condition follows its creation", answered("Other", "2030-01-01T11:59:59Z"), true],
  ["without an answer is kept for a day", { metadata: { creationTimestamp: "2029-12-31T12:00:00Z" } }, false],
  [
    "without an answer for more than a day is deleted",
    { metadata: { creationTimestamp: "2029-12-31T11:59:59Z" } },
    true,
  ],
  ["without a time of creation is kept", { metadata: {} }, false],
])("a request %s", (_, more, expected) => expect(isExpired(request({}, more), NOW)).toBe(expected));
