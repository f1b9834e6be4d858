// Objects of an older release: it stores the fields it knows, and the next release shows them complete.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

let store: Store;

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
});
afterAll(() => store.close());

async function under<T>(release: string, work: (admin: ApiClient, server: RunningServer) => Promise<T>): Promise<T> {
  const server = await startServer({ store, flags: { "emulated-release": release } });
  const admin = new ApiClient(server, server.admin);
  try {
    return await work(admin, server);
  } finally {
    admin.close();
    await server.stop();
  }
}

const CORE = "/api/v1/namespaces/default/services";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const DRIVERS = "/apis/storage.orch.io";

const ports = [{ port: 80 }];
const template = { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" } };
const SENT: readonly (readonly [
  path: string,
  now: string,
  body: JsonObject,
  few: readonly string[],
  more: JsonObject,
])[] = [
  [
    `${CORE}/plain`,
    `${CORE}/plain`,
    { metadata: { name: "plain" }, spec: { ports } },
    ["clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"],
    { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack", internalTrafficPolicy: "Cluster" },
  ],
  [
    `${CORE}/balanced`,
    `${CORE}/balanced`,
    { metadata: { name: "balanced" }, spec: { type: "LoadBalancer", ports } },
    ["allocateLoadBalancerNodePorts"],
    { allocateLoadBalancerNodePorts: true },
  ],
  [
    `${CORE}/named`,
    `${CORE}/named`,
    { metadata: { name: "named" }, spec: { type: "ExternalName", externalName: "x.example" } },
    ["clusterIP", "ipFamilies"],
    { type: "ExternalName" },
  ],
  [
    `${JOBS}/once`,
    `${JOBS}/once`,
    { metadata: { name: "once" }, spec: { template } },
    ["completionMode", "suspend"],
    { completionMode: "NonIndexed", suspend: false },
  ],
  [
    `${DRIVERS}/v1beta1/csidrivers/d.example`,
    `${DRIVERS}/v1/csidrivers/d.example`,
    { metadata: { name: "d.example" }, spec: {} },
    ["storageCapacity", "requiresRepublish", "fsGroupPolicy"],
    {
      storageCapacity: false,
      requiresRepublish: false,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      attachRequired: true,
    },
  ],
];

test("an older release fills in only what it knows; a newer one shows the rest, and an update of it changes nothing", async () => {
  const older = await under("1.15", async (admin) => {
    const answers: JsonObject[] = [];
    for (const [path, , body] of SENT) {
      const { code, json } = await admin.post(path.slice(0, path.lastIndexOf("/")), body);
      expect([path, code]).toEqual([path, 201]);
      answers.push(json as unknown as JsonObject);
    }
    return answers;
  });
  older.forEach((object, at) => {
    const spec = object["spec"] as JsonObject;
    expect([SENT[at]?.[0], SENT[at]?.[3].filter((name) => name in spec)]).toEqual([SENT[at]?.[0], []]);
  });
  await under("1.23", async (admin) => {
    for (const [, path, , , more] of SENT) {
      const { json } = await admin.get(path);
      expect([path, json]).toMatchObject([path, { spec: more }]);
      const same = await admin.put(path, json);
      expect([path, same.code, same.json.spec]).toEqual([path, 200, json.spec]);
    }
    const plain = (await admin.get(`${CORE}/plain`)).json.spec as unknown as JsonObject;
    expect(plain["clusterIPs"]).toEqual([plain["clusterIP"]]);
  });
  await under("1.15", async (admin) => {
    const { json } = await admin.get(`${CORE}/plain`);
    expect(
      (await admin.put(`${CORE}/plain`, { ...json, spec: { ...(json.spec as object), ports: [{ port: 81 }] } })).code,
    ).toBe(200);
  });
});

test("claim templates that were stored without their kind have it, and are updated as they are", async () => {
  const path = "/apis/apps/v1/namespaces/default/statefulsets";
  const claim = {
    metadata: { name: "data" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1" } } },
  };
  await under("1.23", async (admin) => {
    const { json } = await admin.post(path, {
      metadata: { name: "claims" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } },
        volumeClaimTemplates: [claim],
      },
    });
    const key = "/registry/apps/statefulsets/default/claims";
    const stored = (await store.range({ start: key })).items[0]?.value.toString() ?? "";
    const named = '"volumeClaimTemplates":[{"kind":"PersistentVolumeClaim","apiVersion":"v1",';
    expect(stored).toContain(named);
    const value = Buffer.from(stored.replace(named, '"volumeClaimTemplates":[{'));
    await store.txn({ compare: [], then: [{ kind: "put", key, value }] });
    const read = (await admin.get(`${path}/claims`)).json;
    expect(read.spec).toEqual(json.spec);
    expect((await admin.put(`${path}/claims`, read)).code).toBe(200);
  });
});
