import { expect, test } from "@jest/globals";
import { type JsonObject, vocabularyOf } from "@orch/schema";
import { clusterIpsOf, findingOfAddress, findingOfService, type PresentState } from "./ip-address-findings";

const NOW = Date.parse("2024-05-01T12:00:00Z");
const LABELS = { "ipaddress.orch.io/ip-family": "IPv4", "ipaddress.orch.io/managed-by": "ipallocator.orch.io" };

const service = (name: string, spec: JsonObject): JsonObject => ({ metadata: { namespace: "ns", name }, spec });
const web = service("web", { type: "ClusterIP", clusterIPs: ["10.0.0.5"] });
const outer = service("outer", { type: "ExternalName", externalName: "x.example" });
const both = service("both", { type: "ClusterIP", clusterIPs: ["10.0.0.5", "fd00::9"] });

const parent = (name: string): JsonObject => ({ resource: "services", namespace: "ns", name });
const gateway: JsonObject = { group: "example.com", resource: "gateways", namespace: "ns", name: "web" };
const address = (parentRef: JsonObject, labels: JsonObject = LABELS, ageSeconds = 3600): JsonObject => ({
  metadata: {
    name: "10.0.0.5",
    labels,
    creationTimestamp: new Date(NOW - ageSeconds * 1000).toISOString(),
  },
  spec: { parentRef },
});

const state = (services: readonly JsonObject[], found: JsonObject | undefined): PresentState => ({
  service: ({ name }) => services.find(({ metadata }) => (metadata as JsonObject)["name"] === name),
  ipAddress: (name) => (name === "10.0.0.5" ? found : undefined),
  vocabulary: vocabularyOf("orch"),
});

test.each<[string, JsonObject, readonly string[]]>([
  ["of both families", both, ["10.0.0.5", "fd00::9"]],
  ["of an older release", service("old", { clusterIP: "10.0.0.7" }), ["10.0.0.7"]],
  ["in another spelling", service("odd", { clusterIPs: ["FD00:0::9"] }), ["fd00::9"]],
  ["of a headless service", service("none", { clusterIP: "None", clusterIPs: ["None"] }), []],
  ["of an external name", outer, []],
])("the cluster IPs %s", (_which, object, expected) => expect(clusterIpsOf(object)).toEqual(expected));

test.each<[string, JsonObject | undefined, readonly JsonObject[], object | undefined]>([
  ["its own IPAddress is in order", address(parent("web")), [web], undefined],
  [
    "no IPAddress gets one",
    undefined,
    [web],
    {
      kind: "create",
      event: { reason: "ClusterIPNotAllocated", message: "Cluster IP [IPv4]: 10.0.0.5 is not allocated; repairing" },
    },
  ],
  [
    "the IPAddress of another kind gets a new one",
    address(gateway),
    [web],
    {
      kind: "recreate",
      event: {
        reason: "ClusterIPNotAllocated",
        message: "the ClusterIP [IPv4]: 10.0.0.5 for Service ns/web has a wrong reference; repairing",
      },
    },
  ],
  ["the IPAddress of a missing service gets a new one", address(parent("gone")), [web], { kind: "recreate" }],
  [
    "the IPAddress of a service that has the address, too, is reported",
    address(parent("both")),
    [web, both],
    {
      kind: "report",
      event: {
        reason: "ClusterIPAlreadyAllocated",
        message: "Cluster IP [IPv4]:10.0.0.5 was assigned to multiple services; please recreate service",
      },
    },
  ],
  ["an IPAddress without labels gets a new one", address(parent("web"), {}), [web], { kind: "recreate" }],
  [
    "an IPAddress with the label of the other family gets a new one",
    address(parent("web"), { ...LABELS, "ipaddress.orch.io/ip-family": "IPv6" }),
    [web],
    { kind: "recreate" },
  ],
])("a service with %s", (_which, found, services, expected) => {
  const finding = findingOfService(state(services, found), web, "10.0.0.5");
  if (expected === undefined) expect(finding).toBeUndefined();
  else expect(finding).toMatchObject(expected);
});

test.each<[string, JsonObject, readonly JsonObject[], object | undefined]>([
  ["of a service that uses it stays", address(parent("web")), [web], undefined],
  ["of another component stays", address(gateway, {}), [], undefined],
  [
    "of the allocator that refers to no service goes",
    address(gateway),
    [],
    {
      kind: "delete",
      event: {
        reason: "IPAddressNotAllocated",
        message: "IPAddress 10.0.0.5 appears to have been modified, not referencing a Service: cleaning up",
      },
    },
  ],
  [
    "of a missing service goes",
    address(parent("gone")),
    [],
    {
      kind: "delete",
      event: {
        reason: "IPAddressNotAllocated",
        message: "IPAddress: 10.0.0.5 for Service ns/gone appears to have leaked: cleaning up",
      },
    },
  ],
  ["of a missing service stays while it is new", address(parent("gone"), LABELS, 2), [], { kind: "wait" }],
  [
    "of a service that does not use it goes",
    address(parent("outer")),
    [outer],
    {
      kind: "delete",
      event: {
        reason: "IPAddressWrongReference",
        message: "IPAddress: 10.0.0.5 for Service ns/outer has a wrong reference; cleaning up",
      },
    },
  ],
  [
    "of a service that does not use it stays while it is new",
    address(parent("outer"), LABELS, 2),
    [outer],
    { kind: "wait" },
  ],
])("an IPAddress %s", (_which, found, services, expected) => {
  const finding = findingOfAddress(state(services, found), found, NOW);
  if (expected === undefined) expect(finding).toBeUndefined();
  else expect(finding).toMatchObject(expected);
});
