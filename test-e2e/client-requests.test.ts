// Typed requests of the client library against a whole server.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, type Client, type WatchEvent } from "@orch/client";
import type { appsV1, coreV1 } from "@orch/schema";
import { adminClient, adminConnection } from "./harness/in-process";

const { configMaps: CONFIG_MAPS, deployments: DEPLOYMENTS } = builtInTypes();

function deployment(name: string): appsV1.Deployment {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
  return {
    metadata: { name },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  } as appsV1.Deployment;
}

let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe.each([
  ["HTTP/2", true],
  ["HTTP/1.1", false],
])("over %s", (protocol, http2) => {
  let client: Client;
  const prefix = http2 ? "two" : "one";

  beforeAll(() => {
    client = adminClient(server, { http2 });
  });
  afterAll(() => client.close());

  test("an object is created, read, replaced and deleted", async () => {
    const maps = client.resource(CONFIG_MAPS).namespace("default");
    const created = await maps.create({ metadata: { name: `${prefix}-life` }, data: { a: "1" } });
    expect(created.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect((await maps.get(`${prefix}-life`)).data).toEqual({ a: "1" });
    const updated = await maps.update({ ...created, data: { a: "2" } });
    expect(updated.metadata?.resourceVersion).not.toBe(created.metadata?.resourceVersion);
    await expect(maps.update({ ...created, data: { a: "3" } })).rejects.toMatchObject({
      code: 409,
      reason: "Conflict",
    });
    expect(await maps.delete(`${prefix}-life`)).toEqual({ kind: "gone" });
    expect(await maps.find(`${prefix}-life`)).toBeUndefined();
  });

  test("a list is read page by page, and whole", async () => {
    const maps = client.resource(CONFIG_MAPS).namespace("default");
    for (let at = 0; at < 5; at += 1) {
      await maps.create({ metadata: { name: `${prefix}-page-${at}`, labels: { of: `${prefix}-pages` } } });
    }
    const labelSelector = `of=${prefix}-pages`;
    const sizes: number[] = [];
    for await (const page of maps.pages({ limit: 2, labelSelector })) sizes.push(page.items.length);
    expect(sizes).toEqual([2, 2, 1]);
    const names: unknown[] = [];
    for await (const { metadata } of maps.all({ limit: 3, labelSelector })) names.push(metadata?.name);
    expect(names).toHaveLength(5);
    await maps.deleteCollection({ labelSelector });
    expect((await client.resource(CONFIG_MAPS).list({ labelSelector })).items).toEqual([]);
  });

  test("a patch of each kind changes what it says", async () => {
    const deployments = client.resource(DEPLOYMENTS).namespace("default");
    await deployments.create(deployment(`${prefix}-patched`));
    const name = `${prefix}-patched`;
    const merged = await deployments.patch(name, "merge", { metadata: { labels: { by: "merge" } } });
    expect([merged.kind, merged.metadata?.labels]).toEqual(["Deployment", { by: "merge" }]);
    const operations = [
      { op: "test", path: "/spec/replicas", value: 1 },
      { op: "replace", path: "/spec/replicas", value: 2 },
    ];
    expect((await deployments.patch(name, "json", operations)).spec?.replicas).toBe(2);
    await expect(deployments.patch(name, "json", operations)).rejects.toMatchObject({ code: 422, reason: "Invalid" });
    const containers = [{ name: "side", image: "busybox" }];
    const strategic = await deployments.patch(name, "strategic", { spec: { template: { spec: { containers } } } });
    expect(strategic.spec?.template?.spec?.containers?.map(({ name }) => name).sort()).toEqual(["side", "web"]);
    const status = await deployments.patch(name, "merge", { status: { replicas: 7 } }, { subresource: "status" });
    expect([status.status?.replicas, status.spec?.replicas]).toEqual([7, 2]);

    const rehearsed = await deployments.patch(name, "merge", { spec: { replicas: 9 } }, { dryRun: true });
    expect(rehearsed.spec?.replicas).toBe(9);
    expect((await deployments.get(name)).spec?.replicas).toBe(2);
    const { resourceVersion = "" } = merged.metadata ?? {};
    await expect(deployments.patch(name, "merge", { metadata: { resourceVersion } })).rejects.toMatchObject({
      code: 409,
      reason: "Conflict",
    });
  });

  test("an apply owns what it gives, conflicts with others, and takes back what it no longer gives", async () => {
    const maps = client.resource(CONFIG_MAPS).namespace("default");
    const name = `${prefix}-applied`;
    const config = (data: Record<string, string>) => ({ metadata: { name }, data });
    const created = await maps.apply(config({ a: "1", b: "1" }), { fieldManager: "first" });
    expect(created.metadata?.managedFields).toMatchObject([{ manager: "first", operation: "Apply" }]);
    const again = await maps.apply(config({ a: "1", b: "1" }), { fieldManager: "first" });
    expect(again.metadata?.resourceVersion).toBe(created.metadata?.resourceVersion);

    await expect(maps.apply(config({ b: "2" }), { fieldManager: "second" })).rejects.toMatchObject({
      code: 409,
      reason: "Conflict",
      details: { causes: [{ reason: "FieldManagerConflict", field: ".data.b" }] },
    });
    expect((await maps.apply(config({ b: "2" }), { fieldManager: "second", force: true })).data).toEqual({
      a: "1",
      b: "2",
    });
    expect((await maps.apply(config({}), { fieldManager: "first" })).data).toEqual({ b: "2" });
    expect((await maps.apply(config({ c: "3" }), { fieldManager: "second", dryRun: true })).data).toEqual({ c: "3" });
    expect((await maps.get(name)).data).toEqual({ b: "2" });
  });

  test("a deletion goes only where it was meant to, and says what is left", async () => {
    const maps = client.resource(CONFIG_MAPS).namespace("default");
    const name = `${prefix}-deleted`;
    const { metadata } = await maps.create({ metadata: { name, finalizers: ["example.com/hold"] } });
    await expect(maps.delete(name, { preconditions: { uid: "another" } })).rejects.toMatchObject({ code: 409 });
    expect(await maps.delete(name, { preconditions: { uid: metadata?.uid ?? "" } })).toMatchObject({
      kind: "object",
      object: { metadata: { name, deletionTimestamp: expect.any(String) } },
    });
    await maps.patch(name, "merge", { metadata: { finalizers: null } });
    expect(await maps.find(name)).toBeUndefined();
  });

  test("a watch brings what happens, until it is left", async () => {
    const maps = client.resource(CONFIG_MAPS).namespace("default");
    const { resourceVersion } = await maps.list();
    const seen: WatchEvent<coreV1.ConfigMap>[] = [];
    const watching = (async () => {
      for await (const event of maps.watch({ resourceVersion, allowWatchBookmarks: true })) {
        if (event.type !== "BOOKMARK") seen.push(event);
        if (event.type === "DELETED") break;
      }
    })();
    await maps.create({ metadata: { name: `${prefix}-watched` } });
    await maps.delete(`${prefix}-watched`);
    await watching;
    expect(seen.map(({ type }) => type)).toEqual(["ADDED", "DELETED"]);
  });

  test("a watch ends with the reason of its signal", async () => {
    const stop = new AbortController();
    const watch = client.resource(CONFIG_MAPS).watch({ signal: stop.signal, resourceVersion: "0" });
    setTimeout(() => stop.abort(new Error("enough")), 20);
    const read = async () => {
      for await (const _ of watch);
    };
    await expect(read()).rejects.toThrow("enough");
  });

  test(`many requests at once share the connections of ${protocol}`, async () => {
    const maps = client.resource(CONFIG_MAPS).namespace("default");
    const all = await Promise.all(Array.from({ length: 150 }, () => maps.list({ limit: 1, resourceVersion: "0" })));
    expect(all).toHaveLength(150);
  });
});

test("a request without credentials is rejected with the server's Status", async () => {
  const client = adminClient(server, { connection: { ...adminConnection(server), credentials: {} } });
  await expect(client.resource(CONFIG_MAPS).list()).rejects.toMatchObject({
    code: 403,
    reason: "Forbidden",
    message: expect.stringContaining("system:anonymous"),
  });
  client.close();
});
