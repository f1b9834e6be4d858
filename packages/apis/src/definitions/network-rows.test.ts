import { expect, test } from "@jest/globals";
import type { JsonObject, JsonValue } from "@orch/schema";
import { rowOf } from "../testing/row";

const ages = { Name: "it", Age: "60m" };
const port = (port: number, protocol = "TCP", nodePort = 0) => ({ port, protocol, ...(nodePort ? { nodePort } : {}) });
const rules = (...hosts: readonly string[]) => ({ rules: hosts.map((host) => (host === "" ? {} : { host })) });
const balanced = (...ingress: readonly JsonObject[]) => ({ loadBalancer: { ingress: [...ingress] } });
const hosts = (count: number) => Array.from({ length: count }, (_, place) => ({ ip: `10.0.0.${place + 1}` }));

type Case = readonly [behaviour: string, kind: string, object: JsonObject, row: Readonly<Record<string, JsonValue>>];

test.each<Case>([
  [
    "a service inside",
    "Service",
    {
      spec: {
        type: "ClusterIP",
        clusterIPs: ["10.96.0.9", "fd00::9"],
        selector: { tier: "front", app: "web" },
        ports: [port(80), port(53, "UDP")],
      },
    },
    {
      ...ages,
      Type: "ClusterIP",
      "Cluster-IP": "10.96.0.9",
      "External-IP": "<none>",
      "Port(s)": "80/TCP,53/UDP",
      Selector: "app=web,tier=front",
    },
  ],
  [
    "a service without address, ports or pods",
    "Service",
    { spec: { type: "ClusterIP", clusterIP: "None", clusterIPs: ["None"] } },
    { "Cluster-IP": "None", "Port(s)": "<none>", Selector: "<none>" },
  ],
  [
    "a service at nodes",
    "Service",
    { spec: { type: "NodePort", externalIPs: ["192.0.2.1", "192.0.2.2"], ports: [port(80, "TCP", 30080)] } },
    { "External-IP": "192.0.2.1,192.0.2.2", "Port(s)": "80:30080/TCP" },
  ],
  [
    "a service whose balancer is being set up",
    "Service",
    { spec: { type: "LoadBalancer" }, status: { loadBalancer: {} } },
    { "External-IP": "<pending>" },
  ],
  [
    "a balanced service",
    "Service",
    {
      spec: { type: "LoadBalancer", externalIPs: ["192.0.2.1"] },
      status: balanced({ ip: "203.0.113.9" }, { hostname: "a.example.com" }, { ip: "203.0.113.9" }),
    },
    { "External-IP": "203.0.113.9,a.example.com,192.0.2.1" },
  ],
  [
    "a service elsewhere",
    "Service",
    { spec: { type: "ExternalName", externalName: "db.example.com" } },
    { "Cluster-IP": "<none>", "External-IP": "db.example.com" },
  ],
  ["a service of another sort", "Service", { spec: { type: "Magic" } }, { "External-IP": "<unknown>" }],

  [
    "an ingress without rules",
    "Ingress",
    { spec: {} },
    { ...ages, Class: "<none>", Hosts: "*", Address: "", Ports: "80" },
  ],
  [
    "an ingress with a certificate",
    "Ingress",
    {
      spec: { ingressClassName: "edge", tls: [{}], ...rules("b.example.com", "", "a.example.com") },
      status: balanced({ hostname: "lb.example.com" }, { ip: "203.0.113.9" }),
    },
    {
      Class: "edge",
      Hosts: "b.example.com,a.example.com",
      Address: "203.0.113.9,lb.example.com",
      Ports: "80, 443",
    },
  ],
  ["rules of no host", "Ingress", { spec: rules("", "") }, { Hosts: "*" }],
  ["three hosts", "Ingress", { spec: rules("a", "b", "c") }, { Hosts: "a,b,c" }],
  ["more rules than are shown", "Ingress", { spec: rules("a", "b", "", "c", "", "d") }, { Hosts: "a,b,c + 3 more..." }],
  [
    "a class with settings",
    "IngressClass",
    { spec: { controller: "example.com/edge", parameters: { apiGroup: "example.com", kind: "Edge", name: "main" } } },
    { ...ages, Controller: "example.com/edge", Parameters: "Edge.example.com/main" },
  ],
  [
    "settings of the core group",
    "IngressClass",
    { spec: { controller: "example.com/edge", parameters: { kind: "ConfigMap", name: "main" } } },
    { Parameters: "ConfigMap/main" },
  ],
  ["a class without settings", "IngressClass", { spec: { controller: "c" } }, { Parameters: "<none>" }],
  [
    "the pods of a policy",
    "NetworkPolicy",
    { spec: { podSelector: { matchLabels: { app: "db" } } } },
    { ...ages, "Pod-Selector": "app=db" },
  ],
  ["a policy for all pods", "NetworkPolicy", { spec: { podSelector: {} } }, { "Pod-Selector": "<none>" }],

  ["no endpoints", "Endpoints", {}, { ...ages, Endpoints: "<none>" }],
  [
    "none that is ready",
    "Endpoints",
    { subsets: [{ notReadyAddresses: hosts(1), ports: [port(80)] }] },
    { Endpoints: "" },
  ],
  ["endpoints without ports", "Endpoints", { subsets: [{ addresses: hosts(2) }] }, { Endpoints: "10.0.0.1,10.0.0.2" }],
  [
    "every port at every address",
    "Endpoints",
    {
      subsets: [
        { addresses: hosts(2), ports: [port(80), port(443)] },
        { addresses: [{ ip: "fd00::1" }], ports: [port(9)] },
      ],
    },
    { Endpoints: "10.0.0.1:80,10.0.0.2:80,10.0.0.1:443 + 2 more..." },
  ],
  [
    "an address with colons",
    "Endpoints",
    { subsets: [{ addresses: [{ ip: "fd00::1" }], ports: [port(9)] }] },
    { Endpoints: "[fd00::1]:9" },
  ],
  [
    "an empty slice",
    "EndpointSlice",
    { addressType: "IPv4" },
    { AddressType: "IPv4", Ports: "<unset>", Endpoints: "<unset>" },
  ],
  [
    "a slice",
    "EndpointSlice",
    {
      addressType: "IPv4",
      ports: [{ port: 80, name: "http" }, { name: "named" }, {}],
      endpoints: [{ addresses: ["10.0.0.1", "10.0.0.2"] }, { addresses: ["10.0.0.3"] }, { addresses: ["10.0.0.4"] }],
    },
    { ...ages, Ports: "80,named,*", Endpoints: "10.0.0.1,10.0.0.2,10.0.0.3 + 1 more..." },
  ],
])("%s: a row of %s", (_behaviour, kind, object, row) => expect(rowOf(kind, object)).toMatchObject(row));
