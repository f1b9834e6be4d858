import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Log } from "@orch/platform";
import { silentLog } from "@orch/platform";
import { openStore, type Store, StoreError, type StoreWatch, type WatchHandlers, type WatchRequest } from "@orch/store";
import { ManualClock } from "@orch/testing";
import type { Registry } from "../contract/registry";
import { delivered, listing, startRegistry } from "../testing/harness";
import { LaggingStore } from "../testing/lagging-store";
import { createMany, createOne } from "../testing/sample";
import { gadgets, widgets } from "../testing/widgets";

/** Longer than the longest time between two rounds. */
const ROUND_MS = 450_000;

/** A store whose watches do not deliver changes of one key. */
class LosingStore extends LaggingStore {
  lost = "";
  failure: StoreError | undefined;
  override readonly range: Store["range"];

  constructor(store: Store) {
    super(store);
    this.range = async (request, options) => {
      if (this.failure !== undefined && request.keysOnly === true) throw this.failure;
      return store.range(request, options);
    };
  }

  override watch(request: WatchRequest, handlers: WatchHandlers): StoreWatch {
    return super.watch(request, {
      ...handlers,
      batch: ({ revision, events }) => {
        const keyOf = (event: (typeof events)[number]) => (event.kind === "put" ? event.item.key : event.key);
        handlers.batch({ revision, events: events.filter((event) => !keyOf(event).endsWith(`/${this.lost}`)) });
      },
    });
  }
}

let store: Store;
let losing: LosingStore;
let clock: ManualClock;
let writer: Registry;
let registry: Registry;
let told: [string, string][];
let errors: string[];

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  losing = new LosingStore(store);
  clock = new ManualClock();
  told = [];
  errors = [];
  const log: Log = { ...silentLog, error: (message) => errors.push(message) };
  ({ registry: writer } = await startRegistry({ store }));
  ({ registry } = await startRegistry({
    ...{ store: losing, clock, log, checksConsistency: true },
    observer: { consistencyChecked: ({ plural }, status) => told.push([plural, status]) },
  }));
  for (const definition of [widgets, gadgets]) registry.resource(definition);
});
afterEach(async () => {
  await registry.close();
  await writer.close();
  await store.close();
});

async function round(): Promise<readonly [string, string][]> {
  await delivered();
  clock.advance(ROUND_MS);
  const results = 2;
  while (told.length < results) await delivered();
  return told.splice(0).sort();
}

test("a cache with every change equals the store, over several pages", async () => {
  await createMany(writer.resource(widgets), 1_100);
  expect(await round()).toEqual([
    ["gadgets", "success"],
    ["widgets", "success"],
  ]);
  await createOne(writer.resource(gadgets), "one");
  expect(await round()).toEqual([
    ["gadgets", "success"],
    ["widgets", "success"],
  ]);
  expect(errors).toEqual([]);
});

test("a lost change is found, told and logged, and lists at a revision come from the store until it arrives", async () => {
  losing.lost = "lost";
  await createOne(writer.resource(widgets), "present");
  await createOne(writer.resource(widgets), "lost");
  await createOne(writer.resource(widgets), "later");
  await delivered();
  const { revision } = await store.status();
  const names = async () => {
    const read = { kind: "exact", resourceVersion: revision } as const;
    const { entries } = await registry.resource(widgets).list(listing({ read }));
    return entries.map(({ name }) => name).sort();
  };
  expect(await names()).toEqual(["later", "present"]);
  expect(await round()).toEqual([
    ["gadgets", "success"],
    ["widgets", "failure"],
  ]);
  expect(errors).toEqual(["the watch cache differs from the store: restart this server"]);
  expect(await names()).toEqual(["later", "lost", "present"]);
});

test("a store that cannot be read at the revision gives no verdict", async () => {
  losing.failure = new StoreError("compacted", "the revision is gone", { compactRevision: 5 });
  expect(await round()).toEqual([
    ["gadgets", "error"],
    ["widgets", "error"],
  ]);
  expect(errors).toEqual([]);
});

test("a registry that does not check reads nothing", async () => {
  await registry.close();
  const reads: boolean[] = [];
  const quiet = new LosingStore(store);
  const counted: Store = new Proxy(quiet, {
    get(target, name) {
      if (name === "range") reads.push(true);
      return Reflect.get(target, name, target);
    },
  });
  ({ registry } = await startRegistry({ store: counted, clock }));
  registry.resource(widgets);
  const before = reads.length;
  clock.advance(ROUND_MS);
  await delivered();
  expect(reads.length).toBe(before);
});
