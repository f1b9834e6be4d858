// A creation that depends on another object is exact, however old this server's view of that object is.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type Admission, forbidden, MOST_RECENT, type Precondition } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { openStore, type Store } from "@orch/store";
import type { Entry } from "../contract/operations";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { startRegistry, writing } from "../testing/harness";
import { LaggingStore } from "../testing/lagging-store";
import { gadgets, widget, widgets } from "../testing/widgets";

const GADGETS = { group: "", resource: "gadgets" } as const;
const gate = { namespace: "", name: "gate" };
const inDefault = { namespace: "default", name: "" };
const gadget = (spec: JsonObject): JsonObject => ({
  kind: "Gadget",
  apiVersion: "v1",
  metadata: { name: "gate" },
  spec,
});

let store: Store;
let lagging: LaggingStore;
/** This server, whose admission reads the gate before it creates a widget. */
let here: Registry;
/** Another server, which closes the gate. */
let there: Registry;
let widgetsHere: ResourceStorage;
let gatesThere: ResourceStorage;
let looks: string[];

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  lagging = new LaggingStore(store);
  looks = [];
  ({ registry: here } = await startRegistry({ store: lagging, admission: asksTheGate() }));
  ({ registry: there } = await startRegistry({ store }));
  widgetsHere = here.resource({ ...widgets, strategy: { ...widgets.strategy, createOnUpdate: true } });
  here.resource(gadgets);
  gatesThere = there.resource(gadgets);
  await gatesThere.create(gadget({ open: "yes" }), gate, writing({ version: gadgets.storage }));
  await here.resource(gadgets).get(gate, MOST_RECENT);
  lagging.hold();
});

afterEach(async () => {
  lagging.letGo();
  await here.close();
  await there.close();
  await store.close();
});

function asksTheGate(): Admission {
  const preconditionOf = (found: Entry): Precondition => {
    if (!found.json(gadgets.storage).includes('"open":"yes"')) throw forbidden(GADGETS, "gate", "shut");
    return { resource: GADGETS, ...gate, revision: found.resourceVersion, retry: lookIntoStore };
  };
  const lookIntoStore = async (): Promise<Precondition> => {
    looks.push("store");
    return preconditionOf(await gatesThere.get(gate, MOST_RECENT));
  };
  return {
    async mutate({ definition, operation, preconditions }) {
      if (definition.plural !== "widgets" || operation !== "CREATE") return;
      looks.push("cache");
      preconditions.push(preconditionOf(here.resource(gadgets).peek(gate) as Entry));
    },
    async validate() {},
  };
}

async function change(spec: JsonObject): Promise<void> {
  const { metadata } = (await gatesThere.get(gate, MOST_RECENT)).object();
  await gatesThere.update(
    { ...gadget(spec), metadata: metadata as JsonObject },
    gate,
    writing({ version: gadgets.storage }),
  );
}

test("it needs no look into the store while what it rests on is as it was seen", async () => {
  expect((await widgetsHere.create(widget("a"), inDefault, writing())).created).toBe(true);
  expect(looks).toEqual(["cache"]);
});

test("it is decided anew when that has changed, and carried out when it still may be", async () => {
  await change({ open: "yes", color: "blue" });
  expect((await widgetsHere.create(widget("a"), inDefault, writing())).created).toBe(true);
  expect(looks).toEqual(["cache", "store"]);
});

test.each<[string, () => Promise<unknown>]>([
  ["a create", () => widgetsHere.create(widget("a"), inDefault, writing())],
  ["an update that creates", () => widgetsHere.update(widget("a"), { ...inDefault, name: "a" }, writing())],
])("%s is refused when it may not be any more, though this server has not heard of it", async (_what, write) => {
  await change({ open: "no" });
  await expect(write()).rejects.toMatchObject({ code: 403 });
  expect(
    (await there.resource(widgets).list({ namespace: "", read: MOST_RECENT, selection: {}, limit: 0 })).entries,
  ).toEqual([]);
});

test("a name that is taken is told as such, not as a change of what the creation rests on", async () => {
  await widgetsHere.create(widget("a"), inDefault, writing());
  await change({ open: "yes", color: "blue" });
  await expect(widgetsHere.create(widget("a"), inDefault, writing())).rejects.toMatchObject({ code: 409 });
});

test("a gate that never comes to rest ends in an answer", async () => {
  const { get } = gatesThere;
  let turns = 0;
  gatesThere.get = async (...parts) => {
    const found = await get(...parts);
    if (looks.includes("store") && turns < 40) {
      turns += 1;
      await gatesThere.update(
        { ...gadget({ open: "yes", turns }), metadata: found.object()["metadata"] as JsonObject },
        gate,
        writing({ version: gadgets.storage }),
      );
    }
    return found;
  };
  await change({ open: "yes", color: "blue" });
  await expect(widgetsHere.create(widget("a"), inDefault, writing())).rejects.toMatchObject({
    reason: "ServerTimeout",
  });
});

test("it is checked before the write where another store holds what it rests on", async () => {
  const other = await openStore({ kind: "memory" });
  const apart = await startRegistry({
    store: lagging,
    storeOf: ({ resource }) => (resource === "widgets" ? other : undefined),
    admission: asksTheGate(),
  });
  apart.registry.resource(gadgets);
  const widgetsApart = apart.registry.resource(widgets);
  await apart.registry.ready();
  expect((await widgetsApart.create(widget("a"), inDefault, writing())).created).toBe(true);
  await change({ open: "no" });
  await expect(widgetsApart.create(widget("b"), inDefault, writing())).rejects.toMatchObject({ code: 403 });
  const { entries } = await widgetsApart.list({ namespace: "", read: MOST_RECENT, selection: {}, limit: 0 });
  expect(entries.map(({ path }) => path)).toEqual(["default/a"]);
  expect(
    (await there.resource(widgets).list({ namespace: "", read: MOST_RECENT, selection: {}, limit: 0 })).entries,
  ).toEqual([]);
  await apart.registry.close();
  await other.close();
});
