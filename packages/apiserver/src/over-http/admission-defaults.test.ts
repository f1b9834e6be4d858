// Defaults and rejections of admission that depend on other objects of a real server.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const CLASSES = "/apis/storage.orch.io/v1/storageclasses";
const INGRESS_CLASSES = "/apis/networking.orch.io/v1/ingressclasses";
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const INGRESSES = "/apis/networking.orch.io/v1/namespaces/default/ingresses";

let server: RunningServer;
let admin: ApiClient;

beforeAll(async () => {
  const plugins = [
    "NamespaceAutoProvision",
    "NamespaceExists",
    "OwnerReferencesPermissionEnforcement",
    "DenyServiceExternalIPs",
  ];
  server = await startServer({ flags: { "enable-admission-plugins": plugins } });
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
});

let last = 0;
const named = (more: object = {}) => {
  last += 1;
  return { name: `o${last}`, ...more };
};

async function created(path: string, object: object): Promise<JsonObject> {
  const { code, json, text } = await admin.post(path, object);
  expect([code, code === 201 ? "" : text]).toEqual([201, ""]);
  return json as unknown as JsonObject;
}

const isDefault = (of: string, value = "true") => ({ annotations: { [`${of}.orch.io/is-default-class`]: value } });
const claim = (spec: object = {}, metadata: object = {}) => ({
  metadata: named(metadata),
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const storageClass = (name: string, more: object = {}) => ({
  metadata: { name, ...more },
  provisioner: "example.com/disk",
  allowVolumeExpansion: true,
});
const ingress = () => ({
  metadata: named(),
  spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } },
});

/** Repeats a request until the expected state is visible, because plugins follow their objects with a short delay. */
async function until<Seen>(ask: () => Promise<Seen>, isSeen: (seen: Seen) => boolean): Promise<Seen> {
  for (let tries = 0; ; tries += 1) {
    const seen = await ask();
    if (isSeen(seen) || tries === 1000) return seen;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

test("claims get the default class, and not one of several", async () => {
  const probe = async () =>
    (await admin.post(`${CLAIMS}?dryRun=All`, claim())).json as unknown as {
      code?: number;
      message?: string;
      spec: JsonObject;
    };
  expect((await probe()).spec["storageClassName"]).toBeUndefined();
  await created(CLASSES, storageClass("fast", isDefault("storageclass")));
  expect((await until(probe, ({ spec }) => spec?.["storageClassName"] === "fast")).spec).toMatchObject({
    storageClassName: "fast",
  });
  expect(await created(CLAIMS, claim({ storageClassName: "" }))).toMatchObject({ spec: { storageClassName: "" } });
  await created(CLASSES, storageClass("slow", isDefault("storageclass.beta")));
  const refused = await until(probe, ({ code }) => code === 403);
  expect(refused.message).toMatch(
    /^persistentvolumeclaims "o\d+" is forbidden: 2 default StorageClasses were found, only 1 allowed$/,
  );
  expect((await admin.delete(`${CLASSES}/slow`)).code).toBe(200);
  expect((await until(probe, ({ code }) => code === undefined)).spec).toMatchObject({ storageClassName: "fast" });
});

test("claims grow once they are bound, where their class lets them", async () => {
  const merge = (path: string, body: object) =>
    admin.ask("PATCH", path, { body, headers: { "content-type": "application/merge-patch+json" } });
  const grow = async (storageClassName: string) => {
    const { metadata } = (await created(CLAIMS, claim({ storageClassName }))) as unknown as {
      metadata: { name: string };
    };
    const path = `${CLAIMS}/${metadata.name}`;
    expect((await merge(`${path}/status`, { status: { phase: "Bound" } })).code).toBe(200);
    const { code, json } = await merge(path, { spec: { resources: { requests: { storage: "2Gi" } } } });
    return [code, json.message ?? ""];
  };
  expect(await grow("fast")).toEqual([200, ""]);
  expect(await grow("gone")).toEqual([
    403,
    expect.stringMatching(/is forbidden: only dynamically provisioned pvc can be resized/),
  ]);
});

test("claims and volumes are held from their creation, whoever makes them", async () => {
  expect(await created(CLAIMS, claim())).toMatchObject({ metadata: { finalizers: ["orch.io/pvc-protection"] } });
  const volume = {
    metadata: named({ finalizers: ["example.com/mine"] }),
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/data" } },
  };
  expect(await created("/api/v1/persistentvolumes", volume)).toMatchObject({
    metadata: { finalizers: ["example.com/mine", "orch.io/pv-protection"] },
  });
  const labels = Object.fromEntries(Array.from({ length: 4000 }, (_, index) => [`l${index}`, ""]));
  expect(await created(CLAIMS, claim({}, { labels }))).toMatchObject({
    metadata: { finalizers: ["orch.io/pvc-protection"] },
    spec: { storageClassName: "fast" },
  });
});

test("ingresses get the default class, and not one of several", async () => {
  const probe = async () =>
    (await admin.post(`${INGRESSES}?dryRun=All`, ingress())).json as unknown as {
      code?: number;
      message?: string;
      spec: JsonObject;
    };
  const ingressClass = (name: string) => ({
    metadata: { name, ...isDefault("ingressclass") },
    spec: { controller: "example.com/c" },
  });
  await created(INGRESS_CLASSES, ingressClass("one"));
  expect((await until(probe, ({ spec }) => spec?.["ingressClassName"] === "one")).spec).toMatchObject({
    ingressClassName: "one",
  });
  await created(INGRESS_CLASSES, ingressClass("two"));
  expect((await until(probe, ({ code }) => code === 403)).message).toMatch(
    /2 default IngressClasses were found, only 1 allowed$/,
  );
});

test("a namespace is made for the first object in it, once, however many come at once", async () => {
  const path = "/api/v1/namespaces/fresh/configmaps";
  const dry = await admin.post(`${path}?dryRun=All`, { metadata: named() });
  expect([dry.code, dry.json.message]).toEqual([404, 'namespaces "fresh" not found']);
  const answers = await Promise.all(Array.from({ length: 20 }, () => admin.post(path, { metadata: named() })));
  expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 201));
  expect((await admin.get("/api/v1/namespaces/fresh")).json).toMatchObject({ status: { phase: "Active" } });
});

test("external addresses are kept, and none is taken", async () => {
  const services = "/api/v1/namespaces/default/services";
  const service = (externalIPs: string[]) => ({ metadata: named(), spec: { ports: [{ port: 80 }], externalIPs } });
  const { code, json } = await admin.post(services, service(["192.0.2.1"]));
  expect([code, json.message]).toEqual([
    403,
    expect.stringMatching(/is forbidden: Use of external IPs is denied by admission control$/),
  ]);
  await created(services, service([]));
});

test("a user without permission to delete an object cannot change its owner", async () => {
  const rbac = "/apis/rbac.authorization.orch.io/v1";
  const rules = [{ verbs: ["create", "patch", "get"], apiGroups: [""], resources: ["configmaps"] }];
  await created(`${rbac}/clusterroles`, { metadata: { name: "writer" }, rules });
  await created(`${rbac}/clusterrolebindings`, {
    metadata: { name: "writer" },
    subjects: [{ kind: "User", name: "ann", apiGroup: "rbac.authorization.orch.io" }],
    roleRef: { kind: "ClusterRole", name: "writer", apiGroup: "rbac.authorization.orch.io" },
  });
  const maps = "/api/v1/namespaces/default/configmaps";
  const ann = new ApiClient(server, server.issueClient({ name: "ann" }));
  const may = () => ann.post(maps, { metadata: named() });
  await until(may, ({ code }) => code === 201);
  const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "u" };
  const blocking = await ann.post(maps, {
    metadata: named({ ownerReferences: [{ ...owner, blockOwnerDeletion: true }] }),
  });
  expect([blocking.code, blocking.json.message]).toEqual([
    403,
    expect.stringContaining(
      "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ",
    ),
  ]);
  const { name } = (await ann.post(maps, { metadata: named({ ownerReferences: [owner] }) })).json.metadata;
  const body = { metadata: { ownerReferences: [] } };
  const headers = { "content-type": "application/merge-patch+json" };
  const loose = await ann.ask("PATCH", `${maps}/${name}`, { body, headers });
  expect([loose.code, loose.json.message]).toEqual([
    403,
    expect.stringContaining("cannot set an ownerRef on a resource you can't delete: "),
  ]);
  ann.close();
});
