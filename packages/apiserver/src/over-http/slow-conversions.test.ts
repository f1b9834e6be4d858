// Conversions that are slow, fail or complete out of order.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type ObjectConverter, type ServedVersion, serviceUnavailable } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import type { ServedResources } from "@orch/served-resources";
import { type RunningServer, startWithSeams } from "../server/start-server";
import { ApiClient } from "../testing/api-client";
import { CRON_TABS, cronTabs, versionOf } from "../testing/cron-tabs";

const schema = loadSchema(vocabularyOf("orch"));
const V2_PATH = CRON_TABS.replace("/v1/", "/v2/");

/** Appends `@v2` to each schedule in v2. Conversions wait for the test while held. */
class SlowConverter implements ObjectConverter {
  held = false;
  failure: Error | undefined;
  signals: AbortSignal[] = [];
  private waiting: (() => void)[] = [];

  async convert(
    objects: readonly JsonObject[],
    { to }: { readonly to: ServedVersion },
    signal: AbortSignal,
  ): Promise<readonly JsonObject[]> {
    this.signals.push(signal);
    if (this.held) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (this.failure !== undefined) throw this.failure;
    return objects.map((object) => {
      const { schedule = "", ...spec } = object["spec"] as { schedule?: string };
      const bare = schedule.replace("@v2", "");
      return {
        ...object,
        apiVersion: to.apiVersion,
        spec: { ...spec, schedule: to.version === "v2" ? `${bare}@v2` : bare },
      };
    });
  }

  async asked(count: number): Promise<void> {
    while (this.signals.length < count) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  letGo(): void {
    this.held = false;
    for (const go of this.waiting.splice(0)) go();
  }
}

let server: RunningServer;
let admin: ApiClient;
let resources: ServedResources;
let converter: SlowConverter;

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
beforeEach(async () => {
  converter = new SlowConverter();
  const [v1, v2] = [versionOf(schema, "v1"), versionOf(schema, "v2")];
  resources.install([cronTabs(schema, { versions: [v1, v2], storage: v1, converter })]);
  await admin.delete(CRON_TABS);
});

const cronTab = (name: string, version = "v1") => ({
  apiVersion: `stable.example.com/${version}`,
  kind: "CronTab",
  metadata: { name },
  spec: { schedule: "daily" },
});
const schedule = (spec: object) => (spec as { schedule: string }).schedule;

test("objects are read and written in either version, also as lists, tables and metadata", async () => {
  expect((await admin.post(CRON_TABS, cronTab("a"))).code).toBe(201);
  const created = await admin.post(V2_PATH, { ...cronTab("b", "v2"), spec: { schedule: "hourly@v2" } });
  expect(created.code).toBe(201);
  expect(schedule(created.json.spec)).toBe("hourly@v2");
  expect(schedule((await admin.get(`${CRON_TABS}/b`)).json.spec)).toBe("hourly");
  expect(schedule((await admin.get(`${V2_PATH}/a`)).json.spec)).toBe("daily@v2");
  const list = await admin.get(V2_PATH);
  expect(list.json.items.map(({ spec }) => schedule(spec))).toEqual(["daily@v2", "hourly@v2"]);
  const as = (kind: string) => ({ headers: { accept: `application/json;as=${kind};g=meta.orch.io;v=v1` } });
  const table = await admin.get(`${V2_PATH}?includeObject=Object`, as("Table"));
  expect(table.json.rows.map(({ object }) => schedule(object.spec))).toEqual(["daily@v2", "hourly@v2"]);
  const metadata = await admin.get(V2_PATH, as("PartialObjectMetadataList"));
  expect(metadata.json.items.map(({ metadata: { name } }) => name)).toEqual(["a", "b"]);
  const body = { spec: { schedule: "weekly@v2" } };
  const headers = { "content-type": "application/merge-patch+json" };
  const patched = await admin.ask("PATCH", `${V2_PATH}/a`, { body, headers });
  expect(schedule(patched.json.spec)).toBe("weekly@v2");
  expect(schedule((await admin.get(`${CRON_TABS}/a`)).json.spec)).toBe("weekly");
});

test("a watch that waits for conversions keeps the order of changes and delays no other watch", async () => {
  const watch = await admin.watch(`${V2_PATH}?watch=1`);
  const other = await admin.watch(`${CRON_TABS}?watch=1`);
  converter.held = true;
  await admin.post(CRON_TABS, cronTab("a"));
  await converter.asked(1);
  await admin.post(CRON_TABS, cronTab("b"));
  await admin.delete(`${CRON_TABS}/a`);
  expect(await other.take(3)).toEqual(["ADDED a", "ADDED b", "DELETED a"]);
  converter.letGo();
  const events = [await watch.next(), await watch.next(), await watch.next()];
  expect(events.map((event) => `${event?.type} ${event?.object.metadata.name}`)).toEqual([
    "ADDED a",
    "ADDED b",
    "DELETED a",
  ]);
  expect(events.map((event) => schedule(event?.object.spec ?? {}))).toEqual(["daily@v2", "daily@v2", "daily@v2"]);
  watch.close();
  other.close();
});

test("a conversion that fails is a Status for who asks, and the last event for who watches", async () => {
  const watch = await admin.watch(`${V2_PATH}?watch=1`);
  converter.failure = serviceUnavailable("the converter is away");
  await admin.post(CRON_TABS, cronTab("a"));
  for (const path of [V2_PATH, `${V2_PATH}/a`]) {
    const answer = await admin.get(path);
    expect([answer.code, answer.json.kind, answer.json.message]).toEqual([503, "Status", "the converter is away"]);
  }
  expect((await admin.put(`${V2_PATH}/a`, cronTab("a", "v2"))).code).toBe(503);
  expect(await watch.next()).toMatchObject({ type: "ERROR", object: { kind: "Status", code: 503 } });
  expect(await watch.next()).toBeUndefined();
  expect((await admin.get(`${CRON_TABS}/a`)).code).toBe(200);
});

test("a conversion without waiting requests is canceled", async () => {
  await admin.post(CRON_TABS, cronTab("a"));
  converter.held = true;
  const watch = await admin.watch(`${V2_PATH}?watch=1`);
  await converter.asked(1);
  watch.close();
  const [signal] = converter.signals as [AbortSignal];
  await new Promise<void>((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve()),
  );
  converter.letGo();
  expect((await admin.get(`${V2_PATH}/a`)).code).toBe(200);
});
