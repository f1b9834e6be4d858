// A store that is restored to an earlier state while a server follows it.

import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { silentLog } from "@orch/platform";
import { openStore, type Store, StoreError, type StoreWatch, type WatchHandlers } from "@orch/store";
import { ManualClock } from "@orch/testing";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { startCompactor } from "../maintenance/compactor";
import {
  delivered,
  eventText,
  listing,
  readEvents,
  readTexts,
  startRegistry,
  watching,
  writing,
} from "../testing/harness";
import { createMany, createOne, recolor } from "../testing/sample";
import { widget, widgets } from "../testing/widgets";

const MOST_RECENT = { kind: "mostRecent" } as const;
const ANY = { kind: "any" } as const;

/** A store that forwards to one store, and after `restore` to another one made from the backup. */
class RestorableStore implements Store {
  private store: Store;
  private readonly watches = new Map<StoreWatch, WatchHandlers>();
  /**
   * Whether open watches are ended with an error at a restore. A driver that does not notice the restore sends nothing.
   */
  tells = true;
  /** Whether the store is unreachable, like etcd between shutdown and restart. */
  away = false;

  constructor(store: Store) {
    this.store = store;
  }

  restore(to: Store): void {
    this.store = to;
    const watches = [...this.watches];
    this.watches.clear();
    for (const [watch, handlers] of watches) {
      watch.close();
      if (this.tells) handlers.ended(new StoreError("restored", "test"));
    }
  }

  get endpoints(): Store["endpoints"] {
    return this.store.endpoints;
  }

  watch: Store["watch"] = (request, handlers) => {
    const isCurrent = () => this.watches.has(watch);
    const watch = this.store.watch(request, {
      started: (revision) => isCurrent() && handlers.started?.(revision),
      batch: (batch) => isCurrent() && handlers.batch(batch),
      ended: (reason) => isCurrent() && handlers.ended(reason),
    });
    this.watches.set(watch, handlers);
    return watch;
  };

  range: Store["range"] = (request, options) => this.asked((store) => store.range(request, options));
  txn: Store["txn"] = (request, options) => this.asked((store) => store.txn(request, options));
  compact: Store["compact"] = (revision) => this.asked((store) => store.compact(revision));
  grantLease: Store["grantLease"] = (ttl) => this.asked((store) => store.grantLease(ttl));
  keepLeaseAlive: Store["keepLeaseAlive"] = (lease) => this.asked((store) => store.keepLeaseAlive(lease));
  revokeLease: Store["revokeLease"] = (lease) => this.asked((store) => store.revokeLease(lease));
  status: Store["status"] = () => this.asked((store) => store.status());
  close = async () => this.store.close();

  private async asked<T>(ask: (store: Store) => Promise<T>): Promise<T> {
    if (this.away) throw new StoreError("unavailable", "nobody there");
    return ask(this.store);
  }
}

let link: RestorableStore;
let registry: Registry;
let storage: ResourceStorage;
let clock: ManualClock;
let restorations: number;
let backup: Store;

/** The backup holds two objects. After it was taken one of them is changed and others are created. */
beforeEach(async () => {
  clock = new ManualClock();
  restorations = 0;
  link = new RestorableStore(await openStore({ kind: "memory" }));
  backup = await openStore({ kind: "memory" });
  const restored = () => {
    restorations += 1;
  };
  ({ registry } = await startRegistry({ store: link, clock, restored }));
  storage = registry.resource(widgets);
  await createOne(storage, "a");
  await createOne(storage, "b");
  await delivered();
  const { items } = await link.range({ start: "\0", end: "\0" });
  for (const { key, value } of items) await backup.txn({ compare: [], then: [{ kind: "put", key, value }] });
  await recolor(storage, "a", "lost");
  for (let count = 0; count < 5; count += 1) await createOne(storage, `lost-${count}`);
  await delivered();
});
afterEach(async () => {
  await registry.close();
  await link.close();
});

const colors = async (read: typeof MOST_RECENT | typeof ANY = MOST_RECENT) =>
  (await storage.list(listing({ read }))).entries.map((entry) => `${entry.name} ${entry.field("spec.color")}`);
const RESTORED = ["a red", "b red"];

describe.each([
  ["says so by its watches", true],
  ["does not notice it by itself", false],
])("when a store that %s is brought back to an earlier state", (_what, tells) => {
  beforeEach(() => {
    link.tells = tells;
  });

  test("every read shows that state from then on, and what is written goes on from it", async () => {
    const lost = (await storage.list(listing())).resourceVersion;
    link.restore(backup);
    expect(await colors()).toEqual(RESTORED);
    await delivered();
    expect(await colors()).toEqual(RESTORED);
    expect(await colors(ANY)).toEqual(RESTORED);
    await expect(storage.get({ namespace: "default", name: "lost-0" }, MOST_RECENT)).rejects.toMatchObject({
      code: 404,
    });
    const { entry } = await storage.update(
      widget("a", { spec: { color: "new" } }),
      { namespace: "default", name: "a" },
      writing(),
    );
    expect(entry.resourceVersion).toBeLessThan(lost);
    await delivered();
    expect(await colors(ANY)).toEqual(["a new", "b red"]);
    expect(restorations).toBe(1);
  });

  test("watches end with 410, old ones and those that begin with a version that was lost", async () => {
    const watchers = await Promise.all([
      storage.watch(watching()),
      storage.watch(
        watching({ start: ANY, selection: { fields: [{ field: "spec.color", operator: "=", value: "x" }] } }),
      ),
    ]);
    const lost = (await storage.list(listing())).resourceVersion;
    const begun = await storage.watch(watching({ start: { kind: "exact", resourceVersion: lost } }));
    link.restore(backup);
    await colors();
    await delivered();
    for (const watcher of [...watchers, begun]) {
      const events = await readEvents(watcher, 100);
      expect(events.map((event) => eventText(event)).at(-1)).toBe("ERROR 410");
      expect(watcher.ended).toBe("error");
    }
    const late = await storage.watch(watching({ start: { kind: "exact", resourceVersion: lost } }));
    expect(await readTexts(late, 1)).toEqual(["ERROR 410"]);
    const fresh = await storage.watch(watching());
    expect((await readTexts(fresh, 2)).map((text) => text.split("@")[0])).toEqual(["ADDED a", "ADDED b"]);
  });

  test("tokens of a version that was lost are told to begin anew, and reads of one that it does not exist", async () => {
    await createMany(storage, 20, "paged");
    const page = await storage.list(listing({ limit: 5 }));
    link.restore(backup);
    await colors();
    await delivered();
    const next = storage.list(listing({ limit: 5, continueToken: page.continueToken }));
    const read = storage.list(listing({ read: { kind: "notOlderThan", resourceVersion: page.resourceVersion } }));
    await delivered();
    // Maximum time for which a request waits for a future version.
    clock.advance(3_000);
    await expect(next).rejects.toMatchObject({ reason: "Expired", code: 410 });
    await expect(read).rejects.toMatchObject({ reason: "Timeout", code: 504 });
  });
});

test("while it is read anew nothing of before is shown, and the health says why", async () => {
  link.away = true;
  link.restore(backup);
  await delivered();
  expect(registry.health()).toMatchObject({ synced: false, connected: false });
  expect(registry.health().lastError).toBeDefined();
  expect(storage.peek({ namespace: "default", name: "lost-0" })).toBeUndefined();
  await expect(colors(ANY)).rejects.toMatchObject({ reason: "ServerTimeout" });
  await expect(colors()).rejects.toMatchObject({ reason: "ServerTimeout" });
  link.away = false;
  clock.advance(1_000);
  await delivered();
  expect(registry.health()).toMatchObject({ synced: true, connected: true, lastError: undefined });
  expect(await colors(ANY)).toEqual(RESTORED);
});

test("a version that is merely still to come is no lost one", async () => {
  link.restore(backup);
  await colors();
  await delivered();
  const { resourceVersion } = await storage.list(listing());
  const watcher = await storage.watch(watching({ start: { kind: "exact", resourceVersion: resourceVersion + 1000 } }));
  expect([watcher.take(10), watcher.ended]).toEqual([[], undefined]);
});

test("compaction goes on, though what it was about to compact no longer exists", async () => {
  const warnings: unknown[] = [];
  const log = { ...silentLog, warn: (...line: unknown[]) => void warnings.push(line) };
  const compactor = startCompactor({ store: link, clock, log, intervalMs: 1_000 });
  const rounds = async (count: number) => {
    for (let round = 0; round < count; round += 1) {
      await delivered();
      clock.advance(1_000);
    }
    await delivered();
  };
  await rounds(3);
  link.restore(backup);
  await rounds(3);
  const oldest = (await backup.range({ start: "\0" })).revision;
  await createOne(storage, "c");
  await rounds(3);
  await expect(backup.range({ start: "\0", revision: oldest - 1 })).rejects.toMatchObject({ code: "compacted" });
  expect(warnings).toEqual([]);
  compactor.stop();
});
