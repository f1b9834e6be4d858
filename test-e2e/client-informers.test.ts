// Informers, work queues and workers against whole servers.
import { afterEach, describe, expect, test } from "@jest/globals";
import { type RunningServer, startServer } from "@orch/apiserver";
import { builtInTypes, type Client, InformerFactory, keyOf, runWorkers, WorkQueue } from "@orch/client";
import { openStore } from "@orch/store";
import { Authority } from "./harness/credentials";
import { eventually } from "./harness/eventually";
import { freePort } from "./harness/free-port";
import { adminClient } from "./harness/in-process";
import { useWorkplace } from "./harness/processes";

const { configMaps } = builtInTypes();
const workplace = useWorkplace();
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function server(): Promise<RunningServer> {
  const running = await startServer();
  cleanUps.push(() => running.stop());
  return running;
}

function client(of: RunningServer, options: Parameters<typeof adminClient>[1] = {}): Client {
  const made = adminClient(of, options);
  cleanUps.push(() => made.close());
  return made;
}

/** Aborted after the test. */
function testSignal(): AbortSignal {
  const stop = new AbortController();
  cleanUps.push(() => stop.abort());
  return stop.signal;
}

const named = (name: string, data: Record<string, string> = {}) => ({ metadata: { name }, data });

describe("an informer", () => {
  test("knows what was there, tells of what happens, and finds objects by index", async () => {
    const api = client(await server());
    const maps = api.resource(configMaps).namespace("default");
    await maps.create(named("before", { color: "red" }));
    const factory = new InformerFactory(api, { namespace: "default" });
    const informer = factory.informer(configMaps);
    informer.addIndex("color", ({ data }) => (data?.["color"] === undefined ? [] : [data["color"]]));
    const told: string[] = [];
    informer.addHandler({
      added: (object, isInInitialList) => void told.push(`added ${keyOf(object)} ${isInInitialList}`),
      updated: (before, after) => void told.push(`updated ${before.data?.["color"]} ${after.data?.["color"]}`),
      deleted: (object, isFinalState) => void told.push(`deleted ${keyOf(object)} ${isFinalState}`),
    });
    factory.start(testSignal());
    await factory.synced();
    expect(informer.store.byIndex("color", "red")).toHaveLength(1);

    await maps.create(named("after", { color: "red" }));
    const { metadata } = await maps.get("before");
    await maps.update({ metadata: metadata ?? {}, data: { color: "blue" } });
    await maps.delete("after");
    await eventually("the deletion is told", async () => told.at(-1)?.startsWith("deleted"));
    expect(told).toEqual([
      "added default/before true",
      "added default/after false",
      "updated red blue",
      "deleted default/after true",
    ]);
    expect(informer.store.byIndex("color", "red")).toEqual([]);
    expect(informer.store.byIndex("color", "blue").map(keyOf)).toEqual(["default/before"]);
    expect(informer.store.byIndex("namespace", "default")).toHaveLength(1);
  });

  test("brings the part of each object that it is asked for, of large objects too", async () => {
    const api = client(await server());
    const maps = api.resource(configMaps).namespace("default");
    const many = Object.fromEntries(Array.from({ length: 12_000 }, (_, at) => [`k${at}`, `${at}`]));
    await maps.create(named("small", { color: "red" }));
    await maps.create(named("listed", many));
    const factory = new InformerFactory(api, { namespace: "default" });
    const whole = factory.informer(configMaps);
    const unmanaged = factory.informer(configMaps, { dropsManagedFields: true });
    const metadata = factory.informer(configMaps, { part: "metadata", dropsManagedFields: true });
    factory.start(testSignal());
    await factory.synced();
    await maps.create(named("watched", many));
    for (const { store } of [whole, unmanaged, metadata])
      await eventually("all are known", async () => store.get("default/watched") !== undefined);
    for (const [name, data] of Object.entries({ small: { color: "red" }, listed: many, watched: many })) {
      const key = `default/${name}`;
      const { managedFields, ...kept } = whole.store.get(key)?.metadata ?? {};
      expect(managedFields).toHaveLength(1);
      expect(whole.store.get(key)?.data).toEqual(data);
      expect(unmanaged.store.get(key)).toMatchObject({ metadata: kept, data });
      expect(unmanaged.store.get(key)?.metadata).toEqual(kept);
      expect(metadata.store.get(key)?.metadata).toEqual(kept);
      expect(metadata.store.get(key)?.data).toBeUndefined();
    }
    expect(await maps.get("listed", { part: "metadata" })).not.toHaveProperty("data");
  });

  test("is shared, and tells a late handler of what it knows already", async () => {
    const api = client(await server());
    await api.resource(configMaps).namespace("default").create(named("known"));
    const factory = new InformerFactory(api, { namespace: "default" });
    factory.start(testSignal());
    const informer = factory.informer(configMaps);
    await factory.synced();
    expect(factory.informer(configMaps)).toBe(informer);
    const told: string[] = [];
    informer.addHandler({ added: (object) => void told.push(keyOf(object)) });
    await informer.synced();
    expect(told).toEqual(["default/known"]);
  });

  test("lists more objects than a page holds", async () => {
    const api = client(await server());
    const maps = api.resource(configMaps).namespace("default");
    for (let from = 0; from < 600; from += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, at) => maps.create(named(`many-${from + at}`))));
    }
    const factory = new InformerFactory(api, { namespace: "default" });
    const informer = factory.informer(configMaps);
    factory.start(testSignal());
    await factory.synced();
    expect(informer.store.size).toBe(600);
  });

  test.each([
    ["HTTP/2", true],
    ["HTTP/1.1", false],
  ])("goes on where it was when another replica takes over, over %s", async (_protocol, http2) => {
    const store = await openStore({ kind: "memory" });
    cleanUps.push(() => store.close());
    const authority = new Authority(workplace);
    const serving = authority.issue("apiserver");
    const tokens = authority.tokenFile();
    const flags = {
      "secure-port": await freePort(),
      "tls-cert-file": serving.cert,
      "tls-private-key-file": serving.key,
      "token-auth-file": tokens.path,
    };
    const first = await startServer({ store, flags });
    const connection = {
      server: first.url,
      tls: { ca: { kind: "file", path: serving.ca } },
      credentials: { token: tokens.admin.token ?? "" },
      namespace: "default",
    } as const;
    const api = client(first, { connection, http2 });
    const maps = api.resource(configMaps).namespace("default");
    await maps.create(named("kept"));
    await maps.create(named("dropped"));
    const factory = new InformerFactory(api, { namespace: "default" });
    const informer = factory.informer(configMaps);
    const told: string[] = [];
    informer.addHandler({
      added: (object) => void told.push(`added ${keyOf(object)}`),
      deleted: (object) => void told.push(`deleted ${keyOf(object)}`),
    });
    factory.start(testSignal());
    await factory.synced();

    // While the client has no server, another client changes objects elsewhere.
    await first.stop();
    const elsewhere = await startServer({ store, flags: { ...flags, "secure-port": 0 } });
    const other = client(elsewhere, { connection: { ...connection, server: elsewhere.url } });
    await other.resource(configMaps).namespace("default").delete("dropped");
    await other.resource(configMaps).namespace("default").create(named("came"));
    await elsewhere.stop();

    const second = await startServer({ store, flags });
    cleanUps.push(() => second.stop());
    await eventually("the missed changes are told", async () => told.length === 4);
    expect(told).toEqual([
      "added default/dropped",
      "added default/kept",
      "deleted default/dropped",
      "added default/came",
    ]);
  });
});

test("a controller brings every object into the state that it should have, whoever disturbs it", async () => {
  const api = client(await server());
  const maps = api.resource(configMaps).namespace("default");
  const signal = testSignal();
  const informer = new InformerFactory(api, { namespace: "default" });
  const watched = informer.informer(configMaps, { labelSelector: "greet=yes" });
  const queue = new WorkQueue();
  const enqueue = (object: object) => queue.add(keyOf(object));
  watched.addHandler({ added: enqueue, updated: (_, after) => enqueue(after) });
  informer.start(signal);
  await informer.synced();
  let conflicts = 0;
  const working = runWorkers({
    queue,
    workers: 4,
    signal,
    reconcile: async (key) => {
      const object = watched.store.get(key);
      if (object === undefined || object.data?.["greeting"] === "hello") return;
      await maps.update({ ...object, data: { ...object.data, greeting: "hello" } }).catch((error) => {
        conflicts += 1;
        throw error;
      });
    },
  });
  const labels = { greet: "yes" };
  await Promise.all(
    Array.from({ length: 50 }, (_, at) => maps.create({ metadata: { name: `greet-${at}`, labels }, data: {} })),
  );
  for (let at = 0; at < 50; at += 5)
    await maps.patch(`greet-${at}`, "merge", { data: { greeting: "goodbye" } }).catch(() => {});
  await eventually("all greet", async () => {
    const { items } = await maps.list({ labelSelector: "greet=yes" });
    return items.length === 50 && items.every(({ data }) => data?.["greeting"] === "hello");
  });
  queue.close();
  cleanUps.push(() => working);
  expect(conflicts).toBeLessThan(50);
});
