import { expect, test } from "@jest/globals";
import { type coreV1, vocabularyOf } from "@orch/schema";
import { endpointRules } from "./endpoint-rules";
import { type MirrorContext, mayBeMirrored, planMirrors } from "./mirrored-slices";
import type { Slice, SliceVersion } from "./slice-form";

function at(release: string, addressesMax = 1000): MirrorContext {
  const rules = endpointRules(release);
  return { rules, version: rules.sliceVersion as SliceVersion, vocabulary: vocabularyOf("orch"), addressesMax };
}
const NOW = at("1.26");
const PORT = { name: "db", port: 5432, protocol: "TCP" } as const;

const written = (subsets: coreV1.EndpointSubset[], metadata: object = {}): coreV1.Endpoints => ({
  metadata: { name: "db", namespace: "shop", uid: "uid-db", ...metadata },
  subsets,
});
const stored = (slice: Slice, number: number): Slice => ({
  ...slice,
  metadata: { ...slice.metadata, name: `db-${number}`, uid: `u${number}`, resourceVersion: "1" },
});
const mirrors = (endpoints: coreV1.Endpoints, context = NOW) =>
  planMirrors(endpoints, [], context).plan.create.map(stored);

test("labels, annotations, addresses and ports are mirrored, by family", () => {
  const targetRef = { kind: "Pod", name: "p", namespace: "shop" };
  const endpoints = written(
    [
      {
        addresses: [{ ip: "10.0.0.1", nodeName: "n1", hostname: "h" }, { ip: "fd00::1" }],
        notReadyAddresses: [{ ip: "10.0.0.2", targetRef }],
        ports: [PORT],
      },
    ],
    {
      labels: { team: "a" },
      annotations: {
        mine: "1",
        "endpoints.orch.io/last-change-trigger-time": "2024-01-01T00:00:00Z",
        "orchctl.orch.io/last-applied-configuration": "{}",
      },
    },
  );
  const slice = {
    metadata: {
      generateName: "db-",
      namespace: "shop",
      labels: {
        team: "a",
        "orch.io/service-name": "db",
        "endpointslice.orch.io/managed-by": "endpointslicemirroring-controller.orch.io",
      },
      annotations: { mine: "1" },
      ownerReferences: [
        { apiVersion: "v1", kind: "Endpoints", name: "db", uid: "uid-db", controller: true, blockOwnerDeletion: true },
      ],
    },
    ports: [PORT],
  };
  expect(planMirrors(endpoints, [], NOW)).toEqual({
    plan: {
      create: [
        {
          ...slice,
          addressType: "IPv4",
          endpoints: [
            { addresses: ["10.0.0.1"], conditions: { ready: true }, hostname: "h", nodeName: "n1" },
            { addresses: ["10.0.0.2"], conditions: { ready: false }, targetRef },
          ],
        },
        { ...slice, addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"], conditions: { ready: true } }] },
      ],
      update: [],
      remove: [],
    },
    invalid: 0,
    skipped: 0,
  });
  const [older] = mirrors(endpoints, at("1.19"));
  expect([older?.endpoints?.[0]?.topology, older?.metadata?.annotations]).toEqual([
    { "orch.io/hostname": "n1" },
    undefined,
  ]);
});

test("nothing is written where nothing has changed; what has is written where it is", () => {
  const before = written([{ addresses: [{ ip: "10.0.0.1" }], ports: [PORT] }], { annotations: { mine: "1" } });
  const found = mirrors(before);
  expect(planMirrors(before, found, NOW).plan).toEqual({ create: [], update: [], remove: [] });
  const changes: coreV1.Endpoints[] = [
    written([{ addresses: [{ ip: "10.0.0.2" }], ports: [PORT] }], { annotations: { mine: "1" } }),
    written([{ addresses: [{ ip: "10.0.0.1" }], ports: [PORT] }]),
    written([{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 9 }] }], { annotations: { mine: "1" } }),
    written(before.subsets ?? [], { annotations: { mine: "1" }, labels: { team: "b" } }),
  ];
  for (const after of changes) {
    const { plan } = planMirrors(after, found, NOW);
    expect([plan.create.length, plan.update.map(({ metadata }) => metadata?.name), plan.remove.length]).toEqual([
      0,
      ["db-0"],
      0,
    ]);
    expect(planMirrors(after, plan.update, NOW).plan.update).toEqual([]);
  }
});

test("mirrors of what is there no more go, and of two the second", () => {
  const before = written([{ addresses: [{ ip: "10.0.0.1" }], ports: [PORT] }]);
  const [found] = mirrors(before);
  const twin = stored(found as Slice, 7);
  expect(planMirrors(written([]), [found as Slice], NOW).plan.remove).toEqual([found]);
  expect(planMirrors(before, [found as Slice, twin], NOW).plan).toEqual({ create: [], update: [], remove: [twin] });
});

test("the addresses of each subset are bounded, and invalid ones are omitted", () => {
  const ips = ["10.0.0.1", "fe80::1%eth0", "10.0.0.2", "10.0.0.3", "10.0.0.4"];
  const endpoints = written([{ addresses: ips.map((ip) => ({ ip })), ports: [PORT] }]);
  const { plan, invalid, skipped } = planMirrors(endpoints, [], at("1.26", 3));
  expect(plan.create[0]?.endpoints?.map(({ addresses }) => addresses?.[0])).toEqual([
    "10.0.0.1",
    "10.0.0.2",
    "10.0.0.3",
  ]);
  expect([invalid, skipped]).toEqual([1, 2]);
});

test.each<[boolean, object]>([
  [true, {}],
  [true, { labels: { "endpointslice.orch.io/skip-mirror": "yes" } }],
  [false, { labels: { "endpointslice.orch.io/skip-mirror": "true" } }],
  [false, { annotations: { "control-plane.alpha.orch.io/leader": "{}" } }],
])("mirrored: %s, with %j", (expected, metadata) => {
  expect(mayBeMirrored(written([], metadata), NOW.vocabulary)).toBe(expected);
});
