// Writes that are charged to another object. The quota is exact, however stale this server's state is and however
// many servers write.
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type Admission, forbidden, internalError, MOST_RECENT, metaOf, type QuotaReservation } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import type { Registry } from "../../contract/registry";
import type { ResourceStorage } from "../../contract/resource-storage";
import { startRegistry, writing } from "../../testing/harness";
import { LaggingStore } from "../../testing/lagging-store";
import { gadgets, widget, widgets } from "../../testing/widgets";

const GADGETS = { group: "", resource: "gadgets" } as const;
const purse = { namespace: "", name: "purse" };
const inDefault = { namespace: "default", name: "" };
const everything = { namespace: "", read: MOST_RECENT, selection: {}, limit: 0 } as const;

interface Server {
  readonly registry: Registry;
  readonly widgets: ResourceStorage;
  readonly purses: ResourceStorage;
  /** Number of transactions sent. */
  readonly sent: () => number;
}

let store: Store;
let lagging: LaggingStore;
let here: Server;
let there: Server;

const spent = (object: JsonObject): number => Number((object["spec"] as JsonObject)["spent"]);

/** Each widget costs one, and the purse holds ten. */
function reservations(purses: () => ResourceStorage): Admission {
  const apply = (quota: JsonObject): JsonObject => {
    if (spent(quota) >= 10) throw forbidden(GADGETS, "purse", "empty");
    return { ...quota, spec: { spent: spent(quota) + 1 } };
  };
  return {
    mutate() {},
    validate({ definition, operation, reservations, object }) {
      if (definition.plural !== "widgets" || operation === "DELETE") return;
      if ((object?.["spec"] as JsonObject | undefined)?.["free"] === true) return;
      const seen = purses().peek(purse)?.inHub();
      if (seen === undefined) return;
      const late = () => internalError("too late");
      reservations.push({ resource: GADGETS, ...purse, seen, apply, late } satisfies QuotaReservation);
    },
  };
}

async function serve(over: Store): Promise<Server> {
  let sent = 0;
  const counting = new LaggingStore(over);
  const txn = over.txn.bind(over);
  Object.assign(counting, {
    txn(...asked: Parameters<Store["txn"]>) {
      sent += 1;
      return txn(...asked);
    },
  });
  let purses: ResourceStorage;
  const { registry } = await startRegistry({ store: counting, admission: reservations(() => purses) });
  purses = registry.resource(gadgets);
  const strategy = { ...widgets.strategy, createOnUpdate: true };
  return { registry, purses, widgets: registry.resource({ ...widgets, strategy }), sent: () => sent };
}

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  lagging = new LaggingStore(store);
  here = await serve(lagging);
  there = await serve(store);
  const empty = { kind: "Gadget", apiVersion: "v1", metadata: { name: "purse" }, spec: { spent: 0 } };
  await there.purses.create(empty, purse, writing({ version: gadgets.storage }));
  await here.purses.get(purse, MOST_RECENT);
});

afterEach(async () => {
  lagging.letGo();
  await here.registry.close();
  await there.registry.close();
  await store.close();
});

const inPurse = async () => spent((await there.purses.get(purse, MOST_RECENT)).object());
const stored = async () => (await there.widgets.list(everything)).entries.length;

async function settled(writes: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const end of await Promise.allSettled(writes)) {
    const kind = end.status === "fulfilled" ? "stored" : String((end.reason as { code: number }).code);
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

const create = (server: Server, name: string) => server.widgets.create(widget(name), inDefault, writing());

describe("a stored write is charged", () => {
  test("with many writers on one server, who wait for each other rather than meet", async () => {
    const writes = Array.from({ length: 30 }, (_, at) => create(here, `w${at}`));
    expect(await settled(writes)).toEqual({ stored: 10, 403: 20 });
    expect([await stored(), await inPurse()]).toEqual([10, 10]);
    // One transaction for each widget that is stored, and one read for each that is rejected.
    expect(here.sent()).toBeLessThanOrEqual(30 + 2);
  });

  test("with writers on two servers", async () => {
    const writes = Array.from({ length: 30 }, (_, at) => create(at % 2 === 0 ? here : there, `w${at}`));
    expect(await settled(writes)).toEqual({ stored: 10, 403: 20 });
    expect([await stored(), await inPurse()]).toEqual([10, 10]);
  });

  test("on a server that hears of nothing", async () => {
    lagging.hold();
    for (let at = 0; at < 6; at += 1) await create(there, `there${at}`);
    const writes = Array.from({ length: 6 }, (_, at) => create(here, `here${at}`));
    expect(await settled(writes)).toEqual({ stored: 4, 403: 2 });
    expect([await stored(), await inPurse()]).toEqual([10, 10]);
  });

  test("and objects that are stored together have revisions of their own", async () => {
    await Promise.all(Array.from({ length: 5 }, (_, at) => create(here, `w${at}`)));
    const { entries } = await there.widgets.list(everything);
    expect(new Set(entries.map(({ resourceVersion }) => resourceVersion)).size).toBe(5);
  });
});

test("a quota says of what is charged to it that the server has written it", async () => {
  await create(here, "a");
  await create(here, "b");
  const { managedFields } = metaOf((await there.purses.get(purse, MOST_RECENT)).object()) as JsonObject;
  const own = (managedFields as JsonObject[]).filter(({ manager }) => manager === "orch-apiserver");
  expect(own).toMatchObject([{ operation: "Update", apiVersion: "v1", fieldsV1: { "f:spec": { "f:spent": {} } } }]);
});

test("a name conflict, a dry run and an unlimited write are not charged", async () => {
  await create(here, "a");
  await expect(create(there, "a")).rejects.toMatchObject({ code: 409 });
  await here.widgets.create(widget("b"), inDefault, writing({ dryRun: true }));
  await here.widgets.create({ ...widget("c"), spec: { free: true } }, inDefault, writing());
  expect(await inPurse()).toBe(1);
});

test("an update is charged once, however often it is tried", async () => {
  await create(there, "a");
  lagging.hold();
  await there.widgets.patch(
    { kind: "merge", body: { metadata: { labels: { by: "there" } } } },
    { ...inDefault, name: "a" },
    { ...writing(), noticed() {} },
  );
  await here.widgets.patch(
    { kind: "merge", body: { metadata: { labels: { also: "here" } } } },
    { ...inDefault, name: "a" },
    { ...writing(), noticed() {} },
  );
  expect(await inPurse()).toBe(3);
});

test("a quota that is gone charges nothing, and one that is written in the meantime is kept as it was written", async () => {
  lagging.hold();
  const { metadata } = (await there.purses.get(purse, MOST_RECENT)).object();
  const labels = { owner: "ann" };
  const changed = {
    kind: "Gadget",
    apiVersion: "v1",
    metadata: { ...(metadata as JsonObject), labels },
    spec: { spent: 3 },
  };
  await there.purses.update(changed, purse, writing({ version: gadgets.storage }));
  await create(here, "a");
  const after = (await there.purses.get(purse, MOST_RECENT)).object();
  expect([spent(after), metaOf(after).labels]).toEqual([4, labels]);
  await there.purses.delete(purse, {}, writing({ version: gadgets.storage }));
  await create(here, "b");
  expect(await stored()).toBe(2);
  await expect(there.purses.get(purse, MOST_RECENT)).rejects.toMatchObject({ code: 404 });
});

test("a write that waits too long in the queue fails, a started one does not", async () => {
  const late: (() => void)[] = [];
  const waits = new LaggingStore(store);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let isSent = false;
  Object.assign(waits, {
    txn: async (...asked: Parameters<Store["txn"]>) => {
      isSent = true;
      await held;
      return store.txn(...asked);
    },
  });
  const clock = {
    now: () => Date.now(),
    elapsed: () => 0,
    after(delayMs: number, callback: () => void) {
      if (delayMs === 10_000) late.push(callback);
      return () => {};
    },
  };
  let purses: ResourceStorage;
  const { registry } = await startRegistry({ store: waits, clock, admission: reservations(() => purses) });
  purses = registry.resource(gadgets);
  const server = { ...here, widgets: registry.resource(widgets) };
  await purses.get(purse, MOST_RECENT);
  const first = create(server, "first");
  while (!isSent) await new Promise((resolve) => setImmediate(resolve));
  const second = create(server, "second");
  while (late.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (const tell of late) tell();
  await expect(second).rejects.toMatchObject({ code: 500, message: "Internal error occurred: too late" });
  letGo();
  await first;
  expect([await stored(), await inPurse()]).toEqual([1, 1]);
  await registry.close();
});

test("a quota in another store than the write is charged before it, and refuses it", async () => {
  const other = await openStore({ kind: "memory" });
  const { registry } = await startRegistry({
    store,
    storeOf: ({ resource }) => (resource === "widgets" ? other : undefined),
    admission: reservations(() => there.purses),
  });
  registry.resource(gadgets);
  const apart = registry.resource(widgets);
  await registry.ready();
  const names = Array.from({ length: 11 }, (_, index) => `w${index}`);
  const outcomes = [];
  for (const name of names) {
    outcomes.push(
      await apart.create(widget(name), inDefault, writing()).then(
        () => 201,
        (error) => error.code,
      ),
    );
  }
  expect(outcomes).toEqual([...Array(10).fill(201), 403]);
  expect((await apart.list(everything)).entries).toHaveLength(10);
  expect(spent((await there.purses.get(purse, MOST_RECENT)).object())).toBe(10);
  await registry.close();
  await other.close();
});
