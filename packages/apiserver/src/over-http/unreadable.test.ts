import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openStore, type Store } from "@orch/store";
import { type RunningServer, startServer } from "../server/start-server";
import { ApiClient } from "../testing/api-client";

const MAPS = "/api/v1/namespaces/default/configmaps";
let store: Store;
let server: RunningServer;
let admin: ApiClient;

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
  server = await startServer({ store, flags: { "emulated-release": "1.36", "etcd-count-metric-poll-period": 50 } });
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
  await store.close();
});

const putBytes = (name: string, value = "no json") =>
  store.txn({
    compare: [],
    then: [{ kind: "put", key: `/registry/core/configmaps/default/${name}`, value: Buffer.from(value) }],
  });
const map = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
const namesIn = async () => (await admin.get(MAPS)).json.items.map(({ metadata }) => metadata.name);

test("an object that cannot be read is missing in lists, which say so, and answers for itself", async () => {
  await admin.post(MAPS, map("a"));
  await putBytes("odd");
  const list = await admin.get(MAPS);
  expect([list.code, list.json.items.map(({ metadata }) => metadata.name)]).toEqual([200, ["a"]]);
  expect(list.headers["warning"]).toBe(
    '299 - "1 of configmaps cannot be read and is missing in this answer: default/odd"',
  );
  expect((await admin.get("/api/v1/secrets")).headers["warning"]).toBeUndefined();

  const one = await admin.get(`${MAPS}/odd`);
  expect([one.code, one.json.kind, one.json.reason]).toEqual([500, "Status", "InternalError"]);
  expect(one.json.message).toContain('the stored object configmaps "default/odd" cannot be read: it is not JSON');
  expect((await admin.post(MAPS, map("odd"))).code).toBe(409);
  expect((await admin.put(`${MAPS}/odd`, map("odd"))).code).toBe(500);

  let metrics = "";
  while (!metrics.includes('apiserver_storage_unreadable_objects{resource="configmaps"} 1')) {
    metrics = (await admin.get("/metrics")).text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  expect(metrics).toContain('apiserver_storage_decode_errors_total{group="",resource="configmaps"} 1\n');
  const removed = await admin.delete(`${MAPS}/odd`);
  expect([removed.code, removed.json.kind]).toEqual([200, "Status"]);
  expect((await admin.get(`${MAPS}/odd`)).code).toBe(404);
  expect((await admin.get(MAPS)).headers["warning"]).toBeUndefined();
});

test("a collection delete without selectors deletes unreadable objects, one with selectors does not", async () => {
  await admin.post(MAPS, map("b"));
  for (const name of ["odd-1", "odd-2", "odd-3", "odd-4"]) await putBytes(name);
  const { headers } = await admin.get(MAPS);
  expect(headers["warning"]).toContain(
    "4 of configmaps cannot be read and are missing in this answer: default/odd-1, ",
  );
  expect((await admin.delete(`${MAPS}?labelSelector=app%3Dx`)).code).toBe(200);
  expect((await admin.get(`${MAPS}/odd-4`)).code).toBe(500);
  expect((await admin.delete(MAPS)).code).toBe(200);
  expect(await namesIn()).toEqual([]);
  expect((await admin.get(`${MAPS}/odd-4`)).code).toBe(404);
  expect(
    (await store.range({ start: "/registry/core/configmaps/default/", end: "/registry/core/configmaps/default0" }))
      .count,
  ).toBe(0);
});
