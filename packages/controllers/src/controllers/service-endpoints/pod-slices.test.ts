import { describe, expect, test } from "@jest/globals";
import { type coreV1, vocabularyOf } from "@orch/schema";
import { routedService } from "../../framework/cached-parts";
import { webPod, webService, zonedNode } from "../../testing/service-objects";
import { endpointRules } from "./endpoint-rules";
import { planSlices, type SlicesContext } from "./pod-slices";
import type { Slice, SliceVersion } from "./slice-form";

function at(release: string, more: Partial<SlicesContext> = {}): SlicesContext {
  const rules = endpointRules(release);
  return {
    rules,
    version: rules.sliceVersion as SliceVersion,
    vocabulary: vocabularyOf("orch"),
    endpointsMax: 100,
    node: (name) => (name === "n1" ? zonedNode : undefined),
    ...more,
  };
}
const NOW = at("1.26");

/** Returns a slice as the server stores it. */
let made = 0;
function stored(slice: Slice): Slice {
  const { generateName: _, ...metadata } = slice.metadata ?? {};
  const name = metadata.name ?? `web-${made++}`;
  return { ...slice, metadata: { ...metadata, name, uid: `uid-of-${name}`, resourceVersion: "1" } };
}

/** Returns the slices after a reconciliation and the number of writes. */
function look(service: coreV1.Service, pods: readonly coreV1.Pod[], found: readonly Slice[], context = NOW) {
  const { plan } = planSlices(service, pods, found, context);
  const written = new Map(plan.update.map((slice) => [slice.metadata?.name, slice]));
  const kept = found
    .filter((slice) => !plan.remove.includes(slice))
    .map((slice) => written.get(slice.metadata?.name) ?? slice);
  const slices = [...kept, ...plan.create.map(stored)];
  return {
    slices,
    sizes: slices.map(({ endpoints }) => endpoints?.length ?? 0).sort((one, other) => one - other),
    writes: [plan.create.length, plan.update.length, plan.remove.length],
  };
}

const pods = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) =>
    webPod(from + at, { ips: [`10.0.${(from + at) >> 8}.${(from + at) & 255}`] }),
  );

const OWNER = {
  apiVersion: "v1",
  kind: "Service",
  name: "web",
  uid: "uid-web",
  controller: true,
  blockOwnerDeletion: true,
};
const LABELS = {
  "orch.io/service-name": "web",
  "endpointslice.orch.io/managed-by": "endpointslice-controller.orch.io",
};
const REFERENCE = { kind: "Pod", namespace: "shop", name: "web-1", uid: "uid-1" };

test.each<[string, Partial<Slice>]>([
  [
    "1.26",
    {
      endpoints: [
        {
          addresses: ["10.0.0.1"],
          conditions: { ready: true, serving: true, terminating: false },
          targetRef: REFERENCE,
          nodeName: "n1",
          zone: "z1",
        },
      ],
    },
  ],
  [
    "1.21",
    {
      endpoints: [
        {
          addresses: ["10.0.0.1"],
          conditions: { ready: true },
          targetRef: { ...REFERENCE, resourceVersion: "101" },
          nodeName: "n1",
          zone: "z1",
        },
      ],
    },
  ],
  [
    "1.20",
    {
      endpoints: [
        {
          addresses: ["10.0.0.1"],
          conditions: { ready: true },
          targetRef: { ...REFERENCE, resourceVersion: "101" },
          topology: { "orch.io/hostname": "n1", "topology.orch.io/zone": "z1", "topology.orch.io/region": "r1" },
        },
      ],
    },
  ],
])("a slice of release %s", (release, expected) => {
  const { plan, missingNodes } = planSlices(webService(), [webPod(1)], [], at(release));
  expect(plan).toEqual({
    create: [
      {
        metadata: {
          generateName: "web-",
          namespace: "shop",
          labels: { team: "a", ...LABELS },
          ownerReferences: [OWNER],
        },
        addressType: "IPv4",
        ports: [{ name: "web", port: 8080, protocol: "TCP" }],
        ...expected,
      },
    ],
    update: [],
    remove: [],
  });
  expect(missingNodes).toEqual([]);
});

test("releases without slices, or without mirrors", () => {
  const known = ["1.16", "1.17", "1.19", "1.21"].map((release) => endpointRules(release));
  expect(known.map(({ sliceVersion, mirrors }) => [sliceVersion, mirrors])).toEqual([
    [undefined, false],
    ["v1beta1", false],
    ["v1beta1", true],
    ["v1", true],
  ]);
});

const readiness = (service: coreV1.Service, pod: coreV1.Pod, context = NOW) =>
  look(service, [pod], [], context).slices[0]?.endpoints?.[0]?.conditions;

test.each<[string, coreV1.Service, coreV1.Pod, SlicesContext, unknown]>([
  ["ready", webService(), webPod(1), NOW, { ready: true, serving: true, terminating: false }],
  ["not ready", webService(), webPod(1, { isReady: false }), NOW, { ready: false, serving: false, terminating: false }],
  ["going", webService(), webPod(1, { isDeleting: true }), NOW, { ready: false, serving: true, terminating: true }],
  ["going, before 1.22", webService(), webPod(1, { isDeleting: true }), at("1.21"), undefined],
  [
    "going, of a service that takes all",
    webService({ publishNotReadyAddresses: true }),
    webPod(1, { isDeleting: true, isReady: false }),
    NOW,
    { ready: true, serving: false, terminating: true },
  ],
  ["ended", webService(), webPod(1, { phase: "Succeeded" }), NOW, undefined],
  ["without an address", webService(), webPod(1, { ips: [] }), NOW, undefined],
])("a pod that is %s", (_name, service, pod, context, expected) => {
  expect(readiness(service, pod, context)).toEqual(expected);
});

test("a pod on an unknown node is omitted and reported, unless the service publishes unready addresses", () => {
  const lost = webPod(1, { spec: { nodeName: "n2" } });
  const { plan, missingNodes } = planSlices(webService(), [lost, webPod(2)], [], NOW);
  expect(missingNodes).toEqual(["n2"]);
  expect(plan.create[0]?.endpoints?.map(({ addresses }) => addresses)).toEqual([["10.0.0.2"]]);
  const all = planSlices(webService({ publishNotReadyAddresses: true }), [lost], [], NOW);
  expect([all.missingNodes, all.plan.create[0]?.endpoints?.[0]?.zone]).toEqual([[], undefined]);
});

test("a service of two families has slices for each, and a slice that says there is none", () => {
  const service = webService({ ipFamilies: ["IPv4", "IPv6"] });
  const both = look(service, [webPod(1, { ips: ["10.0.0.1", "fd00::1"] })], []);
  expect(both.slices.map(({ addressType, endpoints }) => [addressType, endpoints?.[0]?.addresses])).toEqual([
    ["IPv4", ["10.0.0.1"]],
    ["IPv6", ["fd00::1"]],
  ]);
  const one = look(service, [webPod(1)], both.slices);
  expect(
    one.slices.map(({ addressType, endpoints, ports }) => [addressType, endpoints?.length, ports?.length]),
  ).toEqual([
    ["IPv4", 1, 1],
    ["IPv6", undefined, undefined],
  ]);
  expect(one.writes).toEqual([0, 1, 0]);
  expect(look(webService(), [webPod(1)], one.slices).writes).toEqual([0, 0, 1]);
});

test("where a server says no family, a service without an address has slices of both", () => {
  const { slices } = look(webService({ ipFamilies: [], clusterIP: "None" }), [webPod(1)], []);
  expect(slices.map(({ addressType }) => addressType)).toEqual(["IPv4", "IPv6"]);
  expect(slices[0]?.metadata?.labels).toEqual({ team: "a", "service.orch.io/headless": "", ...LABELS });
  expect(look(webService({ ipFamilies: [], clusterIP: "fd00::1" }), [], []).slices[0]?.addressType).toBe("IPv6");
});

test("a service without endpoints keeps the one slice that says so", () => {
  const first = look(webService(), [], []);
  expect([first.sizes, first.writes]).toEqual([[0], [1, 0, 0]]);
  expect(look(webService(), [], first.slices).writes).toEqual([0, 0, 0]);
  const filled = look(webService(), [webPod(1)], first.slices);
  expect([filled.sizes, filled.writes]).toEqual([[1], [0, 1, 0]]);
});

test("slices of a service of this name that is gone are not written to", () => {
  const { slices } = look(webService(), [webPod(1)], []);
  const anew = look(webService({}, { uid: "another" }), [webPod(1)], slices);
  expect(anew.writes).toEqual([1, 0, 1]);
});

test("labels of the service are those of its slices from 1.20 on", () => {
  const { slices } = look(webService(), [webPod(1)], []);
  const relabelled = webService({}, { labels: { team: "b" } });
  const next = look(relabelled, [webPod(1)], slices);
  expect(next.writes).toEqual([0, 1, 0]);
  expect(next.slices[0]?.metadata?.labels).toEqual({ team: "b", ...LABELS });
  expect(look(relabelled, [webPod(1)], [], at("1.19")).slices[0]?.metadata?.labels).toEqual(LABELS);
});

describe("with as few writes as will do", () => {
  const first = look(webService(), pods(0, 250), []);

  test("slices are filled", () =>
    expect([first.sizes, first.writes]).toEqual([
      [50, 100, 100],
      [3, 0, 0],
    ]));

  test("nothing changes, nothing is written", () => {
    expect(look(webService(), pods(0, 250), first.slices).writes).toEqual([0, 0, 0]);
    const context = at("1.20");
    const before = look(webService(), [webPod(1)], [], context);
    const pod = webPod(1);
    const later = { ...pod, metadata: { ...pod.metadata, resourceVersion: "900" } };
    expect(look(webService(), [later], before.slices, context).writes).toEqual([0, 0, 0]);
  });

  test.each<[string, coreV1.Pod[], number[], number[]]>([
    ["one more goes where there is room", pods(0, 251), [51, 100, 100], [0, 1, 0]],
    ["as many as there is room for fill it", pods(0, 300), [100, 100, 100], [0, 1, 0]],
    ["more than that are a slice of their own", pods(0, 301), [50, 51, 100, 100], [1, 0, 0]],
    ["what goes leaves its place", pods(1, 250), [50, 99, 100], [0, 1, 0]],
    ["which is filled again at once", [...pods(1, 250), ...pods(900, 901)], [50, 100, 100], [0, 1, 0]],
    ["a slice that is empty goes", pods(0, 200), [100, 100], [0, 0, 1]],
    ["the last one says that there are none", [], [0], [0, 1, 2]],
    [
      "one that has changed is written alone",
      [webPod(0, { isReady: false, ips: ["10.0.0.0"] }), ...pods(1, 250)],
      [50, 100, 100],
      [0, 1, 0],
    ],
  ])("%s", (_name, now, sizes, writes) => {
    const next = look(webService(), now, first.slices);
    expect([next.sizes, next.writes]).toEqual([sizes, writes]);
  });

  test("changed slices are filled before unchanged ones", () => {
    const next = look(webService(), [...pods(1, 250), ...pods(900, 902)], first.slices);
    expect([next.sizes, next.writes]).toEqual([
      [51, 100, 100],
      [0, 2, 0],
    ]);
  });

  test("changed ports replace unused ones in a slice", () => {
    const ports = [{ name: "web", port: 80, targetPort: 9 }];
    const next = look(webService({ ports }), pods(0, 250), first.slices);
    expect([next.sizes, next.writes]).toEqual([
      [50, 100, 100],
      [0, 3, 0],
    ]);
    expect(next.slices.map((slice) => slice.metadata?.name).sort()).toEqual(
      first.slices.map((slice) => slice.metadata?.name).sort(),
    );
  });
});

describe("the hints of endpoints", () => {
  const spread = (trafficDistribution?: string, annotations = {}) => {
    const service = webService();
    const spec = { ...service.spec, ...(trafficDistribution && { trafficDistribution }) } as coreV1.ServiceSpec;
    // The controller keeps only parts of services.
    return routedService({ ...service, metadata: { ...service.metadata, annotations }, spec });
  };
  const hintsIn = (slices: readonly Slice[]) =>
    slices.flatMap(({ endpoints }) => endpoints ?? []).map(({ hints }) => hints);
  const zone = { forZones: [{ name: "z1" }] };

  test.each<[release: string, distribution: string | undefined, hints: object | undefined]>([
    ["1.30", "PreferClose", undefined],
    ["1.31", "PreferClose", zone],
    ["1.36", "PreferSameZone", zone],
    ["1.36", "PreferSameNode", { ...zone, forNodes: [{ name: "n1" }] }],
    ["1.36", undefined, undefined],
  ])("in %s, with the traffic distribution %s", (release, distribution, hints) => {
    const first = look(spread(distribution), [webPod(1)], [], at(release));
    expect(hintsIn(first.slices)).toEqual([hints]);
    expect(look(spread(distribution), [webPod(1)], first.slices, at(release)).writes).toEqual([0, 0, 0]);
  });

  test("follow the service", () => {
    const now = at("1.36");
    const { slices } = look(spread("PreferClose"), [webPod(1)], [], now);
    const after = look(spread(), [webPod(1)], slices, now);
    expect([after.writes, hintsIn(after.slices)]).toEqual([[0, 1, 0], [undefined]]);
    const others = look(spread(undefined, { "service.orch.io/topology-mode": "Auto" }), [webPod(1)], slices, now);
    expect(others.writes).toEqual([0, 0, 0]);
  });
});
