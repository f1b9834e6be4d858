import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openStore, type Store, StoreError } from "@orch/store";
import { ApiClient } from "../testing/api-client";
import { type RunningServer, startServer } from "./start-server";

let store: Store;
let alarms: readonly string[] = [];
let away = false;
let server: RunningServer;
let anybody: ApiClient;
let admin: ApiClient;

beforeAll(async () => {
  store = await openStore({ kind: "memory" });
  const { range, status } = store;
  store.range = (request, options) =>
    away ? Promise.reject(new StoreError("unavailable", "nobody there")) : range.call(store, request, options);
  store.status = async (options) => ({ ...(await status.call(store, options)), alarms });
  server = await startServer({ store });
  anybody = new ApiClient(server);
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  anybody.close();
  admin.close();
  await server.stop();
  await store.close();
});

/** Longer than an outcome is remembered. */
const forgotten = () => new Promise((resolve) => setTimeout(resolve, 1050));

describe("health", () => {
  test.each(["/healthz", "/livez", "/readyz"])("%s is ok, for anybody", async (path) => {
    const answer = await anybody.get(path);
    expect([answer.code, answer.text]).toEqual([200, "ok"]);
    expect(answer.headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
    });
  });

  test("tells of each check when asked", async () => {
    const { text } = await anybody.get("/readyz?verbose&exclude=ping&exclude=nothing");
    const lines = text.split("\n");
    expect(lines[0]).toBe("[+]ping excluded: ok");
    expect(lines).toContain("[+]store ok");
    expect(lines).toContain("[+]poststarthook/rbac/bootstrap-roles ok");
    expect(lines).toContain("[+]shutdown ok");
    expect(lines).toContain('warn: some health checks cannot be excluded: no matches for "nothing"');
    expect(lines.at(-2)).toBe("readyz check passed");
  });

  test("of one check is for anybody too", async () => {
    for (const client of [admin, anybody]) {
      expect((await client.get("/livez/store")).text).toBe("ok");
      expect((await client.get("/readyz/poststarthook/rbac/bootstrap-roles")).text).toBe("ok");
      expect((await client.get("/livez/shutdown")).code).toBe(404);
    }
  });

  test("fails while the store is away, without telling why to everybody", async () => {
    await forgotten();
    away = true;
    try {
      const all = await anybody.get("/livez");
      expect(all.code).toBe(500);
      expect(all.text).toContain("[-]store failed: reason withheld\n");
      expect(all.text).toMatch(/livez check failed\n$/);
      const one = await admin.get("/livez/store");
      expect([one.code, one.text]).toEqual([500, "internal server error: nobody there\n"]);
      const anybodys = await anybody.get("/livez/store");
      expect([anybodys.code, anybodys.text]).toEqual([500, "internal server error: reason withheld\n"]);
      expect((await anybody.get("/livez?exclude=store")).code).toBe(200);
    } finally {
      away = false;
    }
    await forgotten();
    expect((await anybody.get("/livez")).code).toBe(200);
  });

  test("of a full store is alive and not ready", async () => {
    await forgotten();
    alarms = ["NOSPACE"];
    try {
      expect((await anybody.get("/livez")).code).toBe(200);
      expect((await anybody.get("/readyz")).code).toBe(500);
    } finally {
      alarms = [];
    }
  });
});
