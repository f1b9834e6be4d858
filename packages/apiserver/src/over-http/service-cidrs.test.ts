import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const SERVICES = "/api/v1/namespaces/default/services";
const CIDRS = "/apis/networking.orch.io/v1/servicecidrs";
const ADDRESSES = "/apis/networking.orch.io/v1/ipaddresses";
const ports = [{ port: 80 }];
const MERGE = { "content-type": "application/merge-patch+json" };

/** A range of fourteen addresses, the first of which is the API server's own. */
const RANGES = { "service-cluster-ip-range": ["10.96.0.0/28", "fd00:96::/124"] };

let store: Store;
let server: RunningServer;
let admin: ApiClient;

const startAt = (release: string, flags: object = RANGES) =>
  startServer({ store, flags: { "emulated-release": release, ...flags } });

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
  server = await startAt("1.36");
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
  await store.close();
});

const create = (name: string, spec: JsonObject, by = admin) => by.post(SERVICES, { metadata: { name }, spec });
const addressesOf = ({ json }: { readonly json: unknown }): readonly string[] =>
  (json as { spec?: { clusterIPs?: string[] } }).spec?.clusterIPs ?? [];
const remove = async (...names: readonly string[]) => {
  for (const name of names) await admin.delete(`${SERVICES}/${name}`);
};
const claims = async () => {
  const start = "/registry/ranges/serviceips/";
  const { items } = await store.range({ start, end: "/registry/ranges/serviceips0" });
  return items.map(({ key }) => key.slice(start.length)).sort();
};
const shown = async (by = admin) => (await by.get(ADDRESSES)).json.items.map(({ metadata }) => metadata.name).sort();
const reserve = (name: string, parentRef: JsonObject, labels: JsonObject = {}) =>
  admin.post(ADDRESSES, { metadata: { name, labels }, spec: { parentRef } });
const until = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10));
};

const OWN = ["10.96.0.1"];
const gateway = { group: "gateway.example.com", resource: "gateways", namespace: "default", name: "front" };

test("the default ServiceCIDR has the ranges of the flag and is ready", async () => {
  const { json } = await admin.get(`${CIDRS}/orch`);
  expect(json).toMatchObject({
    spec: { cidrs: ["10.96.0.0/28", "fd00:96::/124"] },
    status: {
      conditions: [{ type: "Ready", status: "True", message: "Kubernetes default Service CIDR is ready", reason: "" }],
    },
  });
});

test("the service of the API server has the first address, with its IPAddress", async () => {
  expect(addressesOf(await admin.get(`${SERVICES}/orch`))).toEqual(OWN);
  expect([await shown(), await claims()]).toEqual([OWN, OWN]);
});

describe("a service", () => {
  test("gets an IPAddress for each address, and gives both back", async () => {
    const made = await create("both", { ipFamilyPolicy: "RequireDualStack", ports });
    const [v4 = "", v6 = ""] = addressesOf(made);
    expect(v4).toMatch(/^10\.96\.0\.\d+$/);
    expect(v6).toMatch(/^fd00:96::/);
    for (const [name, family] of [
      [v4, "IPv4"],
      [v6, "IPv6"],
    ] as const) {
      expect((await admin.get(`${ADDRESSES}/${name}`)).json).toMatchObject({
        metadata: {
          name,
          labels: {
            "ipaddress.orch.io/ip-family": family,
            "ipaddress.orch.io/managed-by": "ipallocator.orch.io",
          },
          managedFields: [{ manager: "orch-apiserver", operation: "Update" }],
        },
        spec: { parentRef: { resource: "services", namespace: "default", name: "both" } },
      });
    }
    expect(await claims()).toEqual([...OWN, v4, v6].sort());
    await remove("both");
    expect([await shown(), await claims()]).toEqual([OWN, OWN]);
  });

  test("gives its address back when it becomes an external name, and gets one when it returns", async () => {
    await create("it", { clusterIP: "10.96.0.5", ports });
    const put = (spec: JsonObject) => admin.put(`${SERVICES}/it`, { metadata: { name: "it" }, spec });
    await put({ type: "ExternalName", externalName: "x.example" });
    expect(await shown()).toEqual(OWN);
    const [address = ""] = addressesOf(await put({ ports }));
    expect(await shown()).toEqual([...OWN, address].sort());
    await remove("it");
  });

  test("that goes from one family to two gets the second IPAddress, and loses it again", async () => {
    const [first = ""] = addressesOf(await create("it", { ports }));
    const under = (ipFamilyPolicy: string) =>
      admin.ask("PATCH", `${SERVICES}/it`, { body: { spec: { ipFamilyPolicy } }, headers: MERGE });
    const [, second = ""] = addressesOf(await under("PreferDualStack"));
    expect(await shown()).toEqual([...OWN, first, second].sort());
    await under("SingleStack");
    expect(await shown()).toEqual([...OWN, first].sort());
    await remove("it");
  });

  test.each<[string, string, string]>([
    ["that is taken", "10.96.0.1", "failed to allocate IP 10.96.0.1: provided IP is already allocated"],
    [
      "outside of every ServiceCIDR",
      "10.9.0.1",
      "failed to allocate IP 10.9.0.1: the provided network does not match the current range",
    ],
    [
      "of the network",
      "10.96.0.0",
      "failed to allocate IP 10.96.0.0: the provided network does not match the current range",
    ],
  ])("cannot have an address %s", async (_which, clusterIP, text) => {
    const refused = await create("no", { clusterIP, ports });
    expect(refused.code).toBe(422);
    expect(refused.json.details).toMatchObject({
      causes: [{ field: "spec.clusterIPs", message: expect.stringContaining(text) }],
    });
  });

  test("gets an address of a second ServiceCIDR once the first is full, and none while it is deleted", async () => {
    const names = Array.from({ length: 13 }, (_, index) => `full-${index}`);
    for (const name of names) expect((await create(name, { ports })).code).toBe(201);
    const refused = await create("more", { ports });
    expect([refused.code, refused.json.message]).toEqual([
      500,
      'Internal error occurred: failed to allocate a serviceIP for Service "more": range is full',
    ]);
    const second = {
      metadata: { name: "second", finalizers: ["example.com/hold"] },
      spec: { cidrs: ["10.97.0.0/24"] },
    };
    expect((await admin.post(CIDRS, second)).code).toBe(201);
    const made = await create("more", { ports });
    expect([made.code, addressesOf(made)]).toEqual([201, [expect.stringMatching(/^10\.97\.0\.\d+$/)]]);
    // The lower band stays free for explicit requests.
    expect(Number(addressesOf(made)[0]?.split(".")[3])).toBeGreaterThan(16);
    expect((await create("named", { clusterIP: "10.97.0.3", ports })).code).toBe(201);
    const status = {
      conditions: [{ type: "Ready", status: "False", reason: "a", message: "b", lastTransitionTime: null }],
    };
    const unready = await admin.ask("PATCH", `${CIDRS}/second/status`, { body: { status }, headers: MERGE });
    expect(unready.code).toBe(200);
    expect((await create("unready", { ports })).code).toBe(500);
    await admin.ask("PATCH", `${CIDRS}/second/status`, { body: { status: { conditions: [] } }, headers: MERGE });
    await admin.delete(`${CIDRS}/second`);
    expect((await create("late", { ports })).code).toBe(500);
    expect((await create("late", { clusterIP: "10.97.0.9", ports })).code).toBe(422);
    await remove(...names, "more", "named");
    await admin.ask("PATCH", `${CIDRS}/second`, { body: { metadata: { finalizers: null } }, headers: MERGE });
    expect([await shown(), await claims()]).toEqual([OWN, OWN]);
  });
});

describe("an IPAddress of a client", () => {
  test("reserves its address until it is deleted", async () => {
    expect((await reserve("10.96.0.9", gateway)).code).toBe(201);
    expect(await claims()).toEqual([...OWN, "10.96.0.9"]);
    expect((await create("no", { clusterIP: "10.96.0.9", ports })).json.message).toContain("already allocated");
    expect((await admin.delete(`${ADDRESSES}/10.96.0.9`)).code).toBe(200);
    expect(await claims()).toEqual(OWN);
    const made = await create("it", { clusterIP: "10.96.0.9", ports });
    expect(made.code).toBe(201);
    expect([(await reserve("10.96.0.9", gateway)).code]).toEqual([409]);
    await remove("it");
  });

  test("may be outside of every ServiceCIDR", async () => {
    expect((await reserve("255.255.255.255", gateway)).code).toBe(201);
    await admin.delete(`${ADDRESSES}/255.255.255.255`);
    expect(await claims()).toEqual(OWN);
  });

  test("keeps the allocation of a service when it is relabelled and deleted, and is created again", async () => {
    const [address = ""] = addressesOf(await create("it", { ports }));
    const { uid } = (await admin.get(`${ADDRESSES}/${address}`)).json.metadata;
    await admin.ask("PATCH", `${ADDRESSES}/${address}`, {
      body: { metadata: { labels: { "ipaddress.orch.io/managed-by": "someone" } } },
      headers: MERGE,
    });
    await admin.delete(`${ADDRESSES}/${address}`);
    expect(await claims()).toContain(address);
    await until(async () => (await shown()).includes(address));
    const again = (await admin.get(`${ADDRESSES}/${address}`)).json.metadata;
    expect(again.uid).not.toBe(uid);
    expect(await claims()).toEqual([...OWN, address].sort());
    await remove("it");
    await until(async () => !(await shown()).includes(address));
    expect(await claims()).toEqual(OWN);
  });
});

test("a service with thousands of values gets an address of a second ServiceCIDR, too", async () => {
  await admin.post(CIDRS, { metadata: { name: "large" }, spec: { cidrs: ["10.98.0.0/24"] } });
  const annotations = Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`a-${index}`, ""]));
  const spec = { clusterIP: "10.98.0.7", ports };
  const made = await admin.post(SERVICES, { metadata: { name: "large", annotations }, spec });
  expect([made.code, addressesOf(made)]).toEqual([201, ["10.98.0.7"]]);
  await until(async () => (await shown()).includes("10.98.0.7"));
  const refused = await admin.post(SERVICES, { metadata: { name: "more", annotations }, spec });
  expect([refused.code, refused.json.message]).toEqual([422, expect.stringContaining("already allocated")]);
  await remove("large");
  await admin.delete(`${CIDRS}/large`);
  expect(await claims()).toEqual(OWN);
});

describe("the repair", () => {
  const raw = async (...then: Parameters<Store["txn"]>[0]["then"]) => {
    await store.txn({ compare: [], then });
  };
  const events = async () =>
    (await admin.get("/api/v1/namespaces/default/events")).json.items.map(
      ({ reason, message }) => `${reason}: ${message}`,
    );

  test("creates an IPAddress that was removed from the store, and reports it on the service", async () => {
    const [address = ""] = addressesOf(await create("it", { ports }));
    await raw({ kind: "delete", start: `/registry/networking.orch.io/ipaddresses/${address}` });
    await until(async () => (await shown()).includes(address));
    expect(await events()).toContain(
      `ClusterIPNotAllocated: Cluster IP [IPv4]: ${address} is not allocated; repairing`,
    );
    await remove("it");
    expect([await shown(), await claims()]).toEqual([OWN, OWN]);
  });

  test("removes an IPAddress whose service was removed from the store", async () => {
    const [address = ""] = addressesOf(await create("it", { ports }));
    await raw({ kind: "delete", start: "/registry/core/services/default/it" });
    expect(await shown()).toContain(address);
    await until(async () => !(await shown()).includes(address));
    expect((await events()).join("\n")).toContain(
      `IPAddress: ${address} for Service default/it appears to have leaked`,
    );
    await raw({ kind: "delete", start: `/registry/ranges/serviceips/${address}` });
  }, 20_000);
});

test.each([
  ["1.33", false, []],
  ["1.32", true, ["10.96.0.1"]],
])("the gate decides in release %s with %s", async (release, isOn, expected) => {
  const shared = store;
  store = await openStore({ kind: "memory" });
  const one = await startAt(release, { ...RANGES, "feature-gates": { MultiCIDRServiceAllocator: isOn } });
  try {
    const { items } = await store.range({
      start: "/registry/networking.orch.io/ipaddresses/",
      end: "/registry/networking.orch.io/ipaddresses0",
    });
    expect(items.map(({ key }) => key.slice(key.lastIndexOf("/") + 1))).toEqual(expected);
    expect(await claims()).toEqual(OWN);
  } finally {
    await one.stop();
    await store.close();
    store = shared;
  }
});

describe("with a replica of release 1.32 on the same store", () => {
  let older: RunningServer;
  let client: ApiClient;

  beforeAll(async () => {
    older = await startAt("1.32");
    client = new ApiClient(older, older.admin);
  });
  afterAll(async () => {
    client.close();
    await older.stop();
  });

  test("concurrent writers of both releases get every address once", async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) => create(`m-${index}`, { ports }, index % 2 === 0 ? admin : client)),
    );
    const given = made.filter(({ code }) => code === 201).flatMap(addressesOf);
    expect(made.filter(({ code }) => code !== 201).map(({ json }) => json.message)).toEqual(
      Array.from({ length: 7 }, () => expect.stringContaining("range is full")),
    );
    expect([...new Set(given)].length).toBe(13);
    expect(await claims()).toEqual([...OWN, ...given].sort());
    // The newer replica creates the IPAddresses of services that the older one created.
    await until(async () => (await shown()).length === 14);
    await Promise.all(Array.from({ length: 20 }, (_, index) => client.delete(`${SERVICES}/m-${index}`)));
    expect(await claims()).toEqual(OWN);
  });

  test("an address whose service the older replica deleted is given again, with a new IPAddress", async () => {
    await create("old", { clusterIP: "10.96.0.4", ports });
    await client.delete(`${SERVICES}/old`);
    expect((await create("new", { clusterIP: "10.96.0.4", ports })).code).toBe(201);
    expect((await admin.get(`${ADDRESSES}/10.96.0.4`)).json).toMatchObject({ spec: { parentRef: { name: "new" } } });
    await remove("new");
    expect(await claims()).toEqual(OWN);
  });

  test("the older replica does not give away an address that a client reserves", async () => {
    expect((await reserve("fd00:96::6", gateway)).code).toBe(201);
    const refused = await create("no", { clusterIP: "fd00:96::6", ports }, client);
    expect([refused.code, refused.json.message]).toEqual([422, expect.stringContaining("already allocated")]);
    await admin.delete(`${ADDRESSES}/fd00:96::6`);
  });
});

test("services of release 1.32 keep their addresses through an upgrade and one step back", async () => {
  const shared = store;
  store = await openStore({ kind: "memory" });
  const during = async (release: string, act: (client: ApiClient) => Promise<void>) => {
    const one = await startAt(release);
    const client = new ApiClient(one, one.admin);
    try {
      await act(client);
    } finally {
      client.close();
      await one.stop();
    }
  };
  try {
    await during("1.32", async (client) => {
      await create("a", { clusterIP: "10.96.0.7", ports }, client);
      await create("b", { clusterIP: "10.96.0.8", ports }, client);
    });
    await during("1.33", async (client) => {
      await until(async () => (await shown(client)).length === 3);
      expect(await shown(client)).toEqual(["10.96.0.1", "10.96.0.7", "10.96.0.8"]);
      expect((await create("no", { clusterIP: "10.96.0.7", ports }, client)).code).toBe(422);
      await create("c", { clusterIP: "10.96.0.9", ports }, client);
    });
    await during("1.32", async (client) => {
      for (const clusterIP of ["10.96.0.7", "10.96.0.8", "10.96.0.9"])
        expect((await create("no", { clusterIP, ports }, client)).code).toBe(422);
      await client.delete(`${SERVICES}/a`);
      expect((await create("d", { clusterIP: "10.96.0.7", ports }, client)).code).toBe(201);
    });
    await during("1.33", async (client) => {
      const parent = async () => JSON.stringify((await client.get(`${ADDRESSES}/10.96.0.7`)).json.spec);
      await until(async () => (await parent()).includes('"name":"d"'));
    });
  } finally {
    await store.close();
    store = shared;
  }
}, 60_000);
