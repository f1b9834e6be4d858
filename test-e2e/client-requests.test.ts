// The client's typed requests against a whole server.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, type Client, type WatchEvent } from "@orch/client";
import type { coreV1 } from "@orch/schema";
import { adminClient, adminConnection } from "./harness/in-process";

const CONFIG_MAPS = builtInTypes().configMaps;

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

test("whoever shows nothing is refused with the server's own words", async () => {
  const client = adminClient(server, { connection: { ...adminConnection(server), credentials: {} } });
  await expect(client.resource(CONFIG_MAPS).list()).rejects.toMatchObject({
    code: 403,
    reason: "Forbidden",
    message: expect.stringContaining("system:anonymous"),
  });
  client.close();
});
