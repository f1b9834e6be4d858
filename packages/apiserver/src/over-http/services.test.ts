import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { endpointAddress } from "@orch/http-server";
import { SILENT } from "@orch/observability";
import type { JsonObject, JsonValue } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const SERVICES = "/api/v1/namespaces/default/services";
const ports = [{ port: 80 }];

let store: Store;
let server: RunningServer;
let admin: ApiClient;

/** A range of six addresses, the first of which is the API server's own. */
const FLAGS = {
  "service-cluster-ip-range": ["10.0.0.0/29", "fd00:0:0::/125"],
  "service-node-port-range": "30000-30002",
  "advertise-address": "10.1.2.3",
  "endpoint-reconciler-type": "lease",
};

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
  server = await startServer({ store, flags: FLAGS });
  // The advertised address is not reachable.
  admin = new ApiClient({ ...server, url: `https://127.0.0.1:${server.port}` }, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
  await store.close();
});

const create = (name: string, spec: JsonObject, query = "") =>
  admin.post(`${SERVICES}${query}`, { metadata: { name }, spec });
const specOf = async (name: string) => (await admin.get(`${SERVICES}/${name}`)).json.spec as unknown as JsonObject;
const remove = (...names: readonly string[]) =>
  Promise.all(names.map((name) => admin.ask("DELETE", `${SERVICES}/${name}`)));
const claims = async () => {
  const { items } = await store.range({ start: "/registry/ranges/", end: "/registry/ranges0" });
  return items.map(({ key }) => key.slice("/registry/ranges/".length));
};

describe("the API's own service", () => {
  test("has the first address, and the replicas that are alive behind it", async () => {
    expect(await specOf("orch")).toMatchObject({
      clusterIP: "10.0.0.1",
      clusterIPs: ["10.0.0.1"],
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: server.port }],
    });
    const endpoints = await admin.get("/api/v1/namespaces/default/endpoints/orch");
    expect(endpoints.json).toMatchObject({
      metadata: { labels: { "endpointslice.orch.io/skip-mirror": "true" } },
      subsets: [{ addresses: [{ ip: "10.1.2.3" }], ports: [{ name: "https", port: server.port, protocol: "TCP" }] }],
    });
    const slice = await admin.get("/apis/discovery.orch.io/v1/namespaces/default/endpointslices/orch");
    expect(slice.json).toMatchObject({
      metadata: { labels: { "orch.io/service-name": "orch" } },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.1.2.3"] }],
    });
  });

  test("counts another replica in when it comes, and out when it goes", async () => {
    const other = await startServer({ store, flags: { ...FLAGS, "advertise-address": "10.1.2.4" } });
    const shown = async () => JSON.stringify((await admin.get("/api/v1/namespaces/default/endpoints/orch")).json);
    expect(await shown()).toContain('"addresses":[{"ip":"10.1.2.3"},{"ip":"10.1.2.4"}]');
    await other.stop();
    expect(await shown()).not.toContain("10.1.2.4");
  });
});

describe("the Endpoints of the API's own service", () => {
  test("keep their port while replicas on other ports come and renew themselves", async () => {
    const shared = await openStore({ kind: "memory" });
    const first = await startServer({ store: shared, flags: FLAGS });
    const second = await startServer({ store: shared, flags: { ...FLAGS, "advertise-address": "10.1.2.4" } });
    const third = await startServer({ store: shared, flags: { ...FLAGS, "advertise-address": "10.1.2.5" } });
    const client = new ApiClient({ ...second, url: `https://127.0.0.1:${second.port}` }, second.admin);
    const subset = async () =>
      ((await client.get("/api/v1/namespaces/default/endpoints/orch")).json as unknown as JsonObject)["subsets"];
    // The server that started last wrote its port; the first rewrites the addresses as it stops, and leaves the port.
    await first.stop();
    expect(await subset()).toEqual([
      {
        addresses: [{ ip: "10.1.2.4" }, { ip: "10.1.2.5" }],
        ports: [{ name: "https", port: third.port, protocol: "TCP" }],
      },
    ]);
    client.close();
    await Promise.all([second.stop(), third.stop()]);
    await shared.close();
  });

  test("name the first outer address of a server on loopback, or its log says that there is none", async () => {
    const lines: string[] = [];
    const alone = await startServer({
      logger: { ...SILENT, warn: (line) => void lines.push(line) },
      flags: { "bind-address": "127.0.0.1", "endpoint-reconciler-type": "lease" },
    });
    const client = new ApiClient(alone, alone.admin);
    const endpoints = await client.get("/api/v1/namespaces/default/endpoints/orch");
    const outer = endpointAddress({ bindAddress: "127.0.0.1", advertiseAddress: "" });
    expect(
      endpoints.code === 200
        ? (endpoints.json as unknown as JsonObject)["subsets"]
        : lines.filter((line) => line.includes("no endpoint")),
    ).toEqual(
      outer === undefined
        ? [expect.stringContaining("set --advertise-address")]
        : [expect.objectContaining({ addresses: [{ ip: outer }] })],
    );
    client.close();
    await alone.stop();
  });
});

describe("a service", () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      "without a word gets one address of the first family",
      { ports },
      {
        clusterIP: expect.stringMatching(/^10\.0\.0\.[2-6]$/),
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
      } as unknown as JsonObject,
    ],
    ["is given what it names", { clusterIP: "10.0.0.5", ports }, { clusterIP: "10.0.0.5", clusterIPs: ["10.0.0.5"] }],
    [
      "of the other family gets an address of that",
      { ipFamilies: ["IPv6"], ports },
      { ipFamilies: ["IPv6"], clusterIP: expect.stringMatching(/^fd00::[2-7]$/) } as unknown as JsonObject,
    ],
    [
      "that prefers both stacks gets both",
      { ipFamilyPolicy: "PreferDualStack", ports },
      { ipFamilies: ["IPv4", "IPv6"], clusterIPs: [expect.any(String), expect.any(String)] } as unknown as JsonObject,
    ],
    [
      "without a head has none",
      { clusterIP: "None", selector: { a: "b" }, ports },
      { clusterIP: "None", clusterIPs: ["None"], ipFamilies: ["IPv4"] },
    ],
    ["that is another name has none", { type: "ExternalName", externalName: "x.example" }, { type: "ExternalName" }],
    [
      "shares a port of the nodes between protocols",
      {
        type: "NodePort",
        ports: [
          { name: "a", port: 53, protocol: "TCP", nodePort: 30001 },
          { name: "b", port: 53, protocol: "UDP" },
        ],
      },
      { ports: [{ nodePort: 30001 }, { nodePort: 30001 }] },
    ],
    [
      "behind a balancer that keeps sources is asked after its health",
      { type: "LoadBalancer", externalTrafficPolicy: "Local", ports },
      { healthCheckNodePort: expect.any(Number) } as unknown as JsonObject,
    ],
  ])("%s, and gives it back", async (_behaviour, spec, expected) => {
    const before = await claims();
    const made = await create("it", spec);
    expect([made.code, made.json]).toMatchObject([201, { spec: expected }]);
    await remove("it");
    expect(await claims()).toEqual(before);
  });

  test.each<[string, JsonObject, string, string]>([
    [
      "an address that is taken",
      { clusterIP: "10.0.0.1", ports },
      "spec.clusterIPs",
      "provided IP is already allocated",
    ],
    [
      "an address out of range",
      { clusterIP: "10.9.0.1", ports },
      "spec.clusterIPs",
      "provided IP is not in the valid range. The range of valid IPs is 10.0.0.0/29",
    ],
    [
      "a port out of range",
      { type: "NodePort", ports: [{ port: 80, nodePort: 29999 }] },
      "spec.ports[0].nodePort",
      "provided port is not in the valid range. The range of valid ports is 30000-30002",
    ],
  ])("cannot have %s", async (_what, spec, path, text) => {
    const refused = await create("no", spec);
    expect(refused.code).toBe(422);
    expect(refused.json.details).toMatchObject({ causes: [{ field: path, message: expect.stringContaining(text) }] });
  });

  test("is told when nothing is left, and what was tried is not kept", async () => {
    const names = ["f1", "f2", "f3", "f4", "f5"];
    for (const name of names) expect((await create(name, { ports })).code).toBe(201);
    const refused = await create("f6", { ports });
    expect([refused.code, refused.json.message]).toEqual([
      500,
      expect.stringContaining("failed to allocate a serviceIP: range is full"),
    ]);
    await remove(...names);
    expect((await create("f6", { ports })).code).toBe(201);
    await remove("f6");
  });

  test("takes nothing in a rehearsal", async () => {
    const before = await claims();
    const rehearsed = await create("dry", { type: "NodePort", ports }, "?dryRun=All");
    expect([rehearsed.code, (rehearsed.json.spec as unknown as JsonObject)["clusterIP"]]).toEqual([201, undefined]);
    expect(await claims()).toEqual(before);
  });

  test("keeps what it has when it is put without it, and gives up what its new type has no use for", async () => {
    await create("it", { type: "NodePort", ports });
    const first = await specOf("it");
    const put = async (spec: JsonObject) =>
      (await admin.put(`${SERVICES}/it`, { metadata: { name: "it" }, spec })).json.spec as unknown as JsonObject;
    expect(await put({ type: "NodePort", ports })).toEqual(first);
    expect(await put({ type: "NodePort", clusterIP: first["clusterIP"] as string, ports })).toEqual(first);
    const closed = await put({ type: "ClusterIP", ports });
    expect(closed["clusterIP"]).toBe(first["clusterIP"]);
    expect(JSON.stringify(closed)).not.toContain("nodePort");
    expect((await claims()).filter((claim) => claim.startsWith("servicenodeports"))).toEqual([]);
    const named = await put({ type: "ExternalName", externalName: "x.example" });
    expect(named["clusterIP"]).toBeUndefined();
    expect(await claims()).toEqual(["serviceips/10.0.0.1"]);
    expect((await put({ ports }))["clusterIP"]).toMatch(/^10\.0\.0\.[2-6]$/);
    await remove("it");
  });

  const MERGE = "application/merge-patch+json";
  const STRATEGIC = "application/strategic-merge-patch+json";
  const named = (name: string, rest: JsonObject = {}) => ({ name, port: 80, ...rest });
  const classed = { type: "LoadBalancer", loadBalancerClass: "example.com/a", ports };
  const shutOff = { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports };
  const local = { type: "LoadBalancer", externalTrafficPolicy: "Local", ports };
  test.each<[string, JsonObject, "PUT" | typeof MERGE | typeof STRATEGIC, JsonObject]>([
    ["a PUT without an address", { ports }, "PUT", { ports }],
    ["a merge patch with an empty address", { ports }, MERGE, { clusterIP: "" }],
    ["a merge patch with a null address", { ports }, MERGE, { clusterIP: null }],
    ["a merge patch with an empty list", { ports }, MERGE, { clusterIPs: [] }],
    ["a merge patch with both null", { ports }, MERGE, { clusterIP: null, clusterIPs: null }],
    ["a strategic patch with an empty address", { ports }, STRATEGIC, { clusterIP: "" }],
    ["a strategic patch with a null address", { ports }, STRATEGIC, { clusterIP: null }],
    ["a merge patch without families", { ports }, MERGE, { ipFamilies: null, ipFamilyPolicy: null }],
    ["a PUT of two stacks without them", { ipFamilyPolicy: "PreferDualStack", ports }, "PUT", { ports }],
    ["a PUT of a headless service without its None", { clusterIP: "None", ports }, "PUT", { ports }],
    ["a merge patch that empties None", { clusterIP: "None", ports }, MERGE, { clusterIP: "" }],
    ["a strategic patch that drops None", { clusterIP: "None", ports }, STRATEGIC, { clusterIP: null }],
    ["a merge patch that drops None and the list", { clusterIP: "None", ports }, MERGE, { clusterIPs: null }],
    ["a PUT without a node port", { type: "NodePort", ports }, "PUT", { type: "NodePort", ports }],
    ["a merge patch with a node port of 0", { type: "NodePort", ports }, MERGE, { ports: [{ port: 80, nodePort: 0 }] }],
    ["a PUT without a health-check port", local, "PUT", local],
    ["a merge patch with a health-check port of 0", local, MERGE, { healthCheckNodePort: 0 }],
    ["a PUT without its balancer's class", classed, "PUT", { type: "LoadBalancer", ports }],
    ["a merge patch that drops its balancer's class", classed, MERGE, { loadBalancerClass: null }],
    ["a PUT of a balancer without node ports", shutOff, "PUT", shutOff],
  ])("keeps what it was given in %s", async (_how, spec, how, change) => {
    const { uid } = (await create("it", spec)).json.metadata;
    const first = await specOf("it");
    const body = { metadata: { name: "it" }, spec: change };
    const headers = { "content-type": how };
    const changed =
      how === "PUT"
        ? await admin.put(`${SERVICES}/it`, body)
        : await admin.ask("PATCH", `${SERVICES}/it`, { body, headers });
    expect([changed.code, changed.json.metadata.uid, changed.json.spec]).toEqual([200, uid, first]);
    await remove("it");
  });

  test("keeps its address in a PUT that names the list alone, and refuses another list", async () => {
    await create("it", { ports });
    const first = await specOf("it");
    const put = (clusterIPs: JsonValue) =>
      admin.put(`${SERVICES}/it`, { metadata: { name: "it" }, spec: { clusterIPs, ports } });
    const same = await put(first["clusterIPs"] as JsonValue);
    expect([same.code, same.json.spec]).toEqual([200, first]);
    expect((await put(["10.0.0.77"])).code).toBe(422);
    await remove("it");
  });

  test("keeps node ports by the names of ports, and gives one that moves to another port to that", async () => {
    const first = [named("a", { nodePort: 30000 }), named("b", { port: 81, nodePort: 30001 })];
    await create("it", { type: "NodePort", ports: first });
    const put = async (list: readonly JsonObject[]) => {
      const body = { metadata: { name: "it" }, spec: { type: "NodePort", ports: list } };
      const answer = await admin.put(`${SERVICES}/it`, body);
      const { ports: given = [] } = answer.json.spec as unknown as { ports?: { name: string; nodePort: number }[] };
      return [answer.code, Object.fromEntries(given.map(({ name, nodePort }) => [name, nodePort]))];
    };
    expect(await put([named("b", { port: 82 }), named("a")])).toEqual([200, { a: 30000, b: 30001 }]);
    expect(await put([named("a"), named("c", { port: 82, nodePort: 30001 })])).toEqual([200, { a: 30000, c: 30001 }]);
    expect(await put([named("a"), named("c", { port: 82, nodePort: 30000 })])).toEqual([
      200,
      { a: expect.any(Number), c: 30000 },
    ]);
    await remove("it");
  });

  test.each([
    ["1.19", 422],
    ["1.20", 200],
  ])("without a head and put without its None is answered in release %s with %i", async (release, code) => {
    const own = await startServer({ flags: { "emulated-release": release } });
    const client = new ApiClient(own, own.admin);
    const put = (spec: JsonObject) => client.put(`${SERVICES}/it`, { metadata: { name: "it" }, spec });
    try {
      await client.post(SERVICES, { metadata: { name: "it" }, spec: { clusterIP: "None", ports } });
      expect((await put({ ports })).code).toBe(code);
      expect((await put({ clusterIP: "None", ports })).code).toBe(200);
    } finally {
      client.close();
      await own.stop();
    }
  });

  test("goes from one stack to two and back by its policy alone", async () => {
    await create("it", { ports });
    const [first] = (await specOf("it"))["clusterIPs"] as string[];
    const headers = { "content-type": "application/merge-patch+json" };
    const under = async (ipFamilyPolicy: string) => {
      const changed = await admin.ask("PATCH", `${SERVICES}/it`, { body: { spec: { ipFamilyPolicy } }, headers });
      return changed.json.spec as unknown as JsonObject;
    };
    for (const policy of ["PreferDualStack", "RequireDualStack", "PreferDualStack"]) {
      const addresses = [first, expect.stringMatching(/^fd00::/)];
      expect(await under(policy)).toMatchObject({ clusterIPs: addresses, ipFamilies: ["IPv4", "IPv6"] });
    }
    expect(await under("SingleStack")).toMatchObject({ clusterIPs: [first], ipFamilies: ["IPv4"] });
    expect(await claims()).toEqual(["serviceips/10.0.0.1", `serviceips/${first}`]);
    await remove("it");
  });

  test("keeps what it was given where the ranges are others now", async () => {
    await create("it", { type: "NodePort", ipFamilyPolicy: "RequireDualStack", ports });
    const given = await specOf("it");
    const flags = { "service-cluster-ip-range": ["10.1.0.0/29"], "service-node-port-range": "31000-31002" };
    const next = await startServer({ store, flags });
    const client = new ApiClient(next, next.admin);
    try {
      const headers = { "content-type": "application/merge-patch+json" };
      const change = (body: object) => client.ask("PATCH", `${SERVICES}/it`, { body, headers });
      const labelled = await change({ metadata: { labels: { a: "b" } } });
      expect([labelled.code, labelled.json.spec]).toEqual([200, given]);
      const moved = await change({ spec: { ports: [{ port: 80, nodePort: 29_000 }] } });
      expect([moved.code, moved.json.message]).toEqual([422, expect.stringContaining("valid ports is 31000-31002")]);
    } finally {
      client.close();
      await next.stop();
    }
    await remove("it");
  });

  test("is applied like any other object, and takes its endpoints with it", async () => {
    const headers = { "content-type": "application/apply-patch+yaml" };
    const body = { apiVersion: "v1", kind: "Service", metadata: { name: "it" }, spec: { ports } };
    const apply = () => admin.ask("PATCH", `${SERVICES}/it?fieldManager=me`, { body, headers });
    expect((await apply()).code).toBe(201);
    const { resourceVersion } = (await apply()).json.metadata;
    expect((await apply()).json.metadata.resourceVersion).toBe(resourceVersion);
    const endpoints = "/api/v1/namespaces/default/endpoints";
    await admin.post(endpoints, { metadata: { name: "it" } });
    await remove("it");
    expect((await admin.get(`${endpoints}/it`)).code).toBe(404);
  });
});

test("a service that lies in the store without an address is given none by what does not touch its specification", async () => {
  const metadata = { name: "bare", namespace: "default", uid: "bare", creationTimestamp: "2024-05-01T12:00:00Z" };
  const spec = { type: "NodePort", sessionAffinity: "None", ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] };
  const bare = { kind: "Service", apiVersion: "v1", metadata, spec, status: { loadBalancer: {} } };
  await store.txn({
    compare: [],
    then: [{ kind: "put", key: "/registry/core/services/default/bare", value: Buffer.from(JSON.stringify(bare)) }],
    else: [],
  });
  const before = await claims();
  const merge = { "content-type": "application/merge-patch+json" };
  const patch = (path: string, body: JsonObject) => admin.ask("PATCH", `${SERVICES}/${path}`, { body, headers: merge });
  const answers = [
    await patch("bare/status", { status: { loadBalancer: { ingress: [{ ip: "10.9.9.9" }] } } }),
    await patch("bare", { metadata: { labels: { a: "b" } } }),
    await patch("bare?dryRun=All", { spec: { selector: { a: "b" } } }),
  ];
  expect(answers.map(({ code }) => code)).toEqual([200, 200, 200]);
  expect((await specOf("bare"))["clusterIP"]).toBeUndefined();
  expect(await claims()).toEqual(before);
  await remove("bare");
});

test("where the ranges are others now, events on services say whose address and port are outside", async () => {
  await create("outside", { type: "NodePort", ports: [{ port: 80, nodePort: 30_000 }] });
  const flags = { "service-cluster-ip-range": ["10.1.0.0/29"], "service-node-port-range": "31000-31002" };
  const next = await startServer({ store, flags });
  try {
    const events = "/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Doutside";
    let found: readonly JsonObject[] = [];
    for (let tries = 0; found.length < 2 && tries < 500; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      found = ((await admin.get(events)).json.items ?? []) as unknown as JsonObject[];
    }
    expect(found.map(({ reason, type }) => [reason, type]).sort()).toEqual([
      ["ClusterIPOutOfRange", "Warning"],
      ["PortOutOfRange", "Warning"],
    ]);
  } finally {
    await next.stop();
  }
  await remove("outside");
});
