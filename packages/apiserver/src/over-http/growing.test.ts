// A resource that is added, changed and removed while the server runs.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { loadSchema, vocabularyOf } from "@orch/schema";
import type { ServedResources } from "@orch/served-resources";
import { type RunningServer, startWithSeams } from "../server/start-server";
import { ApiClient, CONFIG_MAPS, configMap } from "../testing/api-client";
import { CRON_TABS, cronTabs, versionOf } from "../testing/cron-tabs";

const schema = loadSchema(vocabularyOf("orch"));
const RESOURCE = { group: "stable.example.com", resource: "crontabs" };

let server: RunningServer;
let admin: ApiClient;
let resources: ServedResources;

beforeAll(async () => {
  const seams = {
    resources(made: ServedResources) {
      resources = made;
    },
  };
  server = await startWithSeams({}, seams);
  admin = new ApiClient(server, server.admin);
});
afterAll(async () => {
  admin.close();
  await server.stop();
});

const cronTab = (name: string, spec: object = { schedule: "* * * * *" }) => ({
  apiVersion: "stable.example.com/v1",
  kind: "CronTab",
  metadata: { name },
  spec,
});

const patched = (name: string, type: string, body: object, query = "") =>
  admin.ask("PATCH", `${CRON_TABS}/${name}${query}`, { body, headers: { "content-type": type } });

describe.each(["first", "second"])("a resource that is added for the %s time", () => {
  beforeAll(() => void resources.install([cronTabs(schema)]));

  test("is listed by discovery, in all its documents", async () => {
    const groups = (await admin.get("/apis")).json.groups.map(({ name }) => name);
    expect(groups).toContain("stable.example.com");
    expect((await admin.get("/apis/stable.example.com")).json).toMatchObject({
      kind: "APIGroup",
      preferredVersion: { groupVersion: "stable.example.com/v1" },
    });
    const { resources: listed } = (await admin.get("/apis/stable.example.com/v1")).json;
    expect(listed).toMatchObject([
      { name: "crontabs", kind: "CronTab", shortNames: ["ct"], namespaced: true },
      { name: "crontabs/scale", kind: "Scale", group: "autoscaling", verbs: ["get", "patch", "update"] },
      { name: "crontabs/status", kind: "CronTab" },
    ]);
    const accept = "application/json;g=apidiscovery.orch.io;v=v2;as=APIGroupDiscoveryList";
    const { text } = await admin.get("/apis", { headers: { accept } });
    expect(text).toContain('"resource":"crontabs"');
  });

  test("takes every verb", async () => {
    const created = await admin.post(CRON_TABS, cronTab("a"));
    expect(created.code).toBe(201);
    expect(created.json).toMatchObject({ kind: "CronTab", spec: { schedule: "* * * * *", replicas: 1 } });
    expect((await admin.get(`${CRON_TABS}/a`)).json).toEqual(created.json);
    const from = created.json.metadata.resourceVersion;
    const watch = await admin.watch(`${CRON_TABS}?watch=1&resourceVersion=${from}`);
    const updated = await admin.put(`${CRON_TABS}/a`, { ...created.json, spec: { schedule: "@daily", replicas: 2 } });
    expect(updated.code).toBe(200);
    expect((await patched("a", "application/merge-patch+json", { spec: { replicas: 3 } })).code).toBe(200);
    const operations = [{ op: "replace", path: "/spec/schedule", value: "@hourly" }];
    expect((await patched("a", "application/json-patch+json", operations)).code).toBe(200);
    const applied = cronTab("b", { schedule: "@weekly" });
    const type = "application/apply-patch+yaml";
    expect((await patched("b", type, applied, "?fieldManager=me")).code).toBe(201);
    expect((await patched("a", "application/strategic-merge-patch+json", {})).code).toBe(415);
    expect((await patched("a", "application/merge-patch+json", { spec: { schedule: 5 } })).code).toBe(422);
    const scale = await admin.get(`${CRON_TABS}/a/scale`);
    expect(scale.json).toMatchObject({ kind: "Scale", spec: { replicas: 3 } });
    expect((await admin.put(`${CRON_TABS}/a/scale`, { ...scale.json, spec: { replicas: 7 } })).code).toBe(200);
    const now = (await admin.get(`${CRON_TABS}/a`)).json;
    const status = await admin.put(`${CRON_TABS}/a/status`, { ...now, spec: {}, status: { phase: "Active" } });
    expect(status.json).toMatchObject({ spec: { schedule: "@hourly", replicas: 7 }, status: { phase: "Active" } });
    const list = await admin.get(CRON_TABS);
    expect(list.json).toMatchObject({ kind: "CronTabList", items: [{}, {}] });
    const table = await admin.get(CRON_TABS, { headers: { accept: "application/json;as=Table;g=meta.orch.io;v=v1" } });
    expect(table.json.rows.map(({ cells }) => cells[0])).toEqual(["a", "b"]);
    expect((await admin.delete(`${CRON_TABS}/a`)).code).toBe(200);
    expect((await admin.delete(CRON_TABS)).code).toBe(200);
    expect((await admin.get(CRON_TABS)).json.items).toEqual([]);
    expect(await watch.take(8)).toEqual([
      "MODIFIED a",
      "MODIFIED a",
      "MODIFIED a",
      "ADDED b",
      "MODIFIED a",
      "MODIFIED a",
      "DELETED a",
      "DELETED b",
    ]);
    watch.close();
  });

  test("is in the published schema a moment later", async () => {
    const name = "/openapi/v3/apis/stable.example.com/v1";
    while ((await admin.get(name)).code !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
    const model = "com.example.stable.v1.CronTab";
    expect((await admin.get(name)).text).toContain(`"${model}List"`);
    const { text } = await admin.get("/openapi/v2");
    expect(JSON.parse(text).definitions[model].properties.spec).toMatchObject({ $ref: expect.any(String) });
    expect(text).toContain('"/apis/stable.example.com/v1/namespaces/{namespace}/crontabs/{name}/scale"');
  });

  test("may be replaced: watches end, and go on from where they were in what is served now", async () => {
    const created = await admin.post(CRON_TABS, cronTab("kept"));
    const from = created.json.metadata.resourceVersion;
    const watch = await admin.watch(`${CRON_TABS}?watch=1&resourceVersion=${from}&allowWatchBookmarks=1`);
    const others = await admin.watch(`${CONFIG_MAPS}?watch=1`);
    const [v1, v2] = [versionOf(schema, "v1"), versionOf(schema, "v2")];
    resources.install([cronTabs(schema, { versions: [v2, v1], storage: v1, shortNames: [], subresources: {} })]);
    const end = await watch.next();
    expect(end).toMatchObject({ type: "BOOKMARK", object: { metadata: { resourceVersion: from } } });
    expect(await watch.next()).toBeUndefined();
    const v2Path = CRON_TABS.replace("/v1/", "/v2/");
    const again = await admin.watch(`${v2Path}?watch=1&resourceVersion=${from}`);
    await admin.post(CRON_TABS, cronTab("later"));
    expect(await again.next()).toMatchObject({
      type: "ADDED",
      object: { apiVersion: "stable.example.com/v2", metadata: { name: "later" } },
    });
    again.close();
    expect((await admin.get(`${v2Path}/kept`)).json).toMatchObject({
      apiVersion: "stable.example.com/v2",
      metadata: { resourceVersion: from },
    });
    expect((await admin.get(`${CRON_TABS}/kept/scale`)).code).toBe(404);
    const { versions } = (await admin.get("/apis/stable.example.com")).json;
    expect(versions.map(({ groupVersion }) => groupVersion)).toEqual([
      "stable.example.com/v2",
      "stable.example.com/v1",
    ]);
    await admin.post(CONFIG_MAPS, configMap("undisturbed"));
    const seen = await others.take(1);
    expect(seen).toEqual(["ADDED undisturbed"]);
    others.close();
    await admin.delete(`${CONFIG_MAPS}/undisturbed`);
    await admin.delete(CRON_TABS);
  });

  test("may be taken away: those who watch are told, and nothing is there any more", async () => {
    const watch = await admin.watch(`${CRON_TABS}?watch=1`);
    await admin.post(CRON_TABS, cronTab("last"));
    await admin.delete(`${CRON_TABS}/last`);
    resources.remove([RESOURCE]);
    expect(await watch.take(2)).toEqual(["ADDED last", "DELETED last"]);
    expect(await watch.next()).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 404 } });
    expect(await watch.next()).toBeUndefined();
    for (const path of [CRON_TABS, `${CRON_TABS}/a`, "/apis/stable.example.com/v1", "/apis/stable.example.com"])
      expect((await admin.get(path)).code).toBe(404);
    expect((await admin.post(CRON_TABS, cronTab("a"))).code).toBe(404);
    expect((await admin.get("/apis")).text).not.toContain("stable.example.com");
    while ((await admin.get("/openapi/v3/apis/stable.example.com/v1")).code === 200)
      await new Promise((resolve) => setTimeout(resolve, 50));
  });
});
