import { describe, expect, test } from "@jest/globals";
import { type coreV1, vocabularyOf } from "@orch/schema";
import { webPod, webService } from "../../testing/service-objects";
import { endpointRules } from "./endpoint-rules";
import { nextEndpoints } from "./pod-endpoints";

const at = (release: string) => ({ rules: endpointRules(release), vocabulary: vocabularyOf("orch") });
const NOW = at("1.26");
const TRIGGER = "2024-01-01T00:00:00Z";

function made(service: coreV1.Service, pods: readonly coreV1.Pod[], context = NOW): coreV1.Endpoints {
  const next = nextEndpoints(service, pods, undefined, TRIGGER, context);
  if (next === undefined) throw new Error("nothing is to be written");
  return next;
}

const subsetsOf = (service: coreV1.Service, pods: readonly coreV1.Pod[], context = NOW) =>
  made(service, pods, context).subsets ?? [];

const address = (number: number, more: object = {}) => ({
  ip: `10.0.0.${number}`,
  nodeName: "n1",
  targetRef: { kind: "Pod", namespace: "shop", name: `web-${number}`, uid: `uid-${number}` },
  ...more,
});
const PORT = { name: "web", port: 8080, protocol: "TCP" };

test("a service has an object of its name, with its labels and the addresses of its pods", () => {
  expect(made(webService(), [webPod(2), webPod(1), webPod(3, { isReady: false })])).toEqual({
    metadata: {
      name: "web",
      namespace: "shop",
      labels: { team: "a" },
      annotations: { "endpoints.orch.io/last-change-trigger-time": TRIGGER },
    },
    subsets: [{ addresses: [address(1), address(2)], notReadyAddresses: [address(3)], ports: [PORT] }],
  });
});

test("until 1.23 an address tells which version of the pod was seen", () => {
  const [subset] = subsetsOf(webService(), [webPod(1)], at("1.23"));
  expect(subset?.addresses?.[0]?.targetRef?.resourceVersion).toBe("101");
});

const headless = { clusterIP: "None" };
const taking = { annotations: { "service.alpha.orch.io/tolerate-unready-endpoints": "true" } };
const refusing = { annotations: { "service.alpha.orch.io/tolerate-unready-endpoints": "false" } };
const ready = [{ addresses: [address(1)], ports: [PORT] }];
const unready = [{ notReadyAddresses: [address(1)], ports: [PORT] }];

test.each<[string, coreV1.Service, coreV1.Pod, unknown]>([
  ["a pod without an address is not there", webService(), webPod(1, { ips: [] }), []],
  ["one that is being deleted is not there", webService(), webPod(1, { isDeleting: true }), []],
  [
    "unless the service takes those that are not ready",
    webService({ publishNotReadyAddresses: true }),
    webPod(1, { isDeleting: true, isReady: false }),
    ready,
  ],
  ["as it may say by an annotation", webService({}, taking), webPod(1, { isReady: false }), ready],
  [
    "which counts for more",
    webService({ publishNotReadyAddresses: true }, refusing),
    webPod(1, { isReady: false }),
    unready,
  ],
  ["one that has ended is not there", webService(), webPod(1, { phase: "Failed" }), []],
  ["nor one without the port", webService(), webPod(1, { spec: { containers: [{ name: "c" }] } }), []],
  [
    "a port by number needs no name",
    webService({ ports: [{ port: 80, targetPort: 9 }] }),
    webPod(1),
    [{ addresses: [address(1)], ports: [{ port: 9, protocol: "TCP" }] }],
  ],
  [
    "a protocol of the application is told",
    webService({ ports: [{ port: 80, targetPort: 9, appProtocol: "h2" }] }),
    webPod(1),
    [{ addresses: [address(1)], ports: [{ port: 9, protocol: "TCP", appProtocol: "h2" }] }],
  ],
  [
    "a service of the other family has the other address",
    webService({ ipFamilies: ["IPv6"] }),
    webPod(1, { ips: ["10.0.0.1", "fd00::1"] }),
    [{ addresses: [address(1, { ip: "fd00::1" })], ports: [PORT] }],
  ],
  ["or none", webService({ ipFamilies: ["IPv6"] }), webPod(1), []],
  [
    "a pod below the service's name is found by its own",
    webService({ ...headless, ports: [] }),
    webPod(1, { spec: { hostname: "one", subdomain: "web" } }),
    [{ addresses: [address(1, { hostname: "one" })] }],
  ],
  [
    "a service without address and ports has addresses only",
    webService({ ...headless, ports: [] }),
    webPod(1),
    [{ addresses: [address(1)] }],
  ],
  ["one with an address and no ports has none", webService({ ports: [] }), webPod(1), []],
])("%s", (_name, service, pod, expected) => {
  expect(subsetsOf(service, [pod])).toEqual(expected);
});

test.each<[string, coreV1.PodSpec["restartPolicy"], boolean]>([
  ["Failed", "Never", false],
  ["Failed", "OnFailure", true],
  ["Succeeded", "OnFailure", false],
  ["Succeeded", "Always", true],
])("until 1.21 a pod that is %s with restart policy %s may come back: %s", (phase, restartPolicy, comes) => {
  const pod = webPod(1, { phase, isReady: false, spec: { ...(restartPolicy && { restartPolicy }) } });
  expect(subsetsOf(webService(), [pod], at("1.21"))).toHaveLength(comes ? 1 : 0);
});

test("a service without an address is labelled so, and only then", () => {
  const found = made(webService(headless), [webPod(1)]);
  expect(found.metadata?.labels).toEqual({ team: "a", "service.orch.io/headless": "" });
  const next = nextEndpoints(webService(), [webPod(1)], found, undefined, NOW);
  expect(next?.metadata).toEqual({ name: "web", namespace: "shop", labels: { team: "a" } });
});

test("nothing is written where nothing has changed, be it that a pod has another version", () => {
  const before = at("1.20");
  const found = made(webService(), [webPod(1)], before);
  const pod = webPod(1);
  const later = { ...pod, metadata: { ...pod.metadata, resourceVersion: "900" } };
  expect(nextEndpoints(webService(), [later], found, TRIGGER, before)).toBeUndefined();
  expect(nextEndpoints(webService(), [later, webPod(2)], found, TRIGGER, before)).toBeDefined();
});

test("annotations of others stay", () => {
  const found: coreV1.Endpoints = { metadata: { name: "web", namespace: "shop", annotations: { mine: "1" } } };
  expect(nextEndpoints(webService(), [webPod(1)], found, undefined, NOW)?.metadata?.annotations).toEqual({ mine: "1" });
});

test("ports that the same pods have go together, and pods that have others apart", () => {
  const ports = [
    { name: "web", port: 80, targetPort: "http" },
    { name: "admin", port: 81, targetPort: 9090 },
  ];
  const bare = webPod(2, { spec: { containers: [{ name: "c" }] } });
  const subsets = subsetsOf(webService({ ports }), [webPod(1), bare]);
  const parts = subsets.map((subset) => [
    subset.addresses?.map(({ ip }) => ip).join(),
    subset.ports?.map(({ name }) => name).join(),
  ]);
  expect(parts.sort()).toEqual([
    ["10.0.0.1,10.0.0.2", "admin"],
    ["10.0.0.1", "web"],
  ]);
});

test("a port that two names of a service share with one that is ready counts as ready", () => {
  const twins = [webPod(1, { isReady: false }), webPod(1)];
  expect(subsetsOf(webService(), twins)).toEqual([{ addresses: [address(1)], ports: [PORT] }]);
});

describe.each<[string, string | undefined, number, number]>([
  ["1.20", undefined, 1002, 2],
  ["1.21", "warning", 1002, 2],
  ["1.22", "truncated", 1000, 0],
])("in %s, of more than 1000 addresses", (release, capacity, taken, unreadyTaken) => {
  const pods = Array.from({ length: 1004 }, (_, at) =>
    webPod(at, { ips: [`10.${at >> 8}.0.${at & 255}`], isReady: at >= 2 }),
  );
  const context = at(release);
  const next = made(webService(), pods, context);
  const key = "endpoints.orch.io/over-capacity";

  test("ready ones come first", () => {
    expect(next.metadata?.annotations?.[key]).toBe(capacity);
    expect(next.subsets?.[0]?.addresses).toHaveLength(taken);
    expect(next.subsets?.[0]?.notReadyAddresses ?? []).toHaveLength(unreadyTaken);
  });

  test("nothing is written twice, and the mark goes with the last that is too many", () => {
    expect(nextEndpoints(webService(), pods, next, undefined, context)).toBeUndefined();
    const fewer = nextEndpoints(webService(), pods.slice(0, 9), next, undefined, context);
    expect(fewer?.metadata?.annotations?.[key]).toBeUndefined();
  });
});
