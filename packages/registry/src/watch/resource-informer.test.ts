import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Log } from "@orch/platform";
import { EventLoopYielder } from "@orch/platform";
import type { Watcher } from "../contract/operations";
import type { Registry } from "../contract/registry";
import type { ResourceStorage } from "../contract/resource-storage";
import { startRegistry, writing } from "../testing/harness";
import { widget, widgets } from "../testing/widgets";
import { ResourceInformer, type ResourceInformerParts } from "./resource-informer";

let registry: Registry;
let storage: ResourceStorage;
let watchers: Watcher[];
let reports: string[];
let errors: unknown[];
let informer: ResourceInformer | undefined;

beforeEach(async () => {
  ({ registry } = await startRegistry());
  const stored = registry.resource(widgets);
  [watchers, reports, errors] = [[], [], []];
  storage = {
    ...stored,
    async watch(request, options) {
      const watcher = await stored.watch(request, options);
      watchers.push(watcher);
      return watcher;
    },
  };
});
afterEach(async () => {
  informer?.close();
  await registry.close();
});

const log = { error: (_: string, fields: object) => void errors.push(fields), warn() {}, info() {} } as unknown as Log;

function informerOf(more: Partial<ResourceInformerParts> = {}): ResourceInformer {
  informer = new ResourceInformer({
    ...{ storage, log, pause: async () => nextTurn() },
    changed: ({ name }) => void reports.push(name),
    removed: ({ namespace, name }) => void reports.push(`-${namespace}/${name}`),
    ...more,
  });
  return informer;
}

const create = async (...names: readonly string[]) => {
  for (const name of names) await storage.create(widget(name), { namespace: "ns", name: "" }, writing());
};
const remove = (name: string) => storage.delete({ namespace: "ns", name }, {}, writing());
const until = async (holds: () => boolean) => {
  while (!holds()) await nextTurn();
};

test("reports present objects before start resolves, and each change afterwards", async () => {
  await create("a", "b");
  const synced: string[][] = [];
  await informerOf({ synced: () => void synced.push([...reports]) }).start();
  expect(synced).toEqual([["a", "b"]]);
  await create("c");
  await remove("a");
  await until(() => reports.length === 4);
  expect(reports).toEqual(["a", "b", "c", "-ns/a"]);
});

test("reports a single object when it is told to", async () => {
  await create("a", "b");
  await informerOf({ only: { namespace: "ns", name: "b" } }).start();
  await remove("a");
  await remove("b");
  await until(() => reports.length === 2);
  expect(reports).toEqual(["b", "-ns/b"]);
});

test("starts again when its watch ends, and reports what was deleted meanwhile", async () => {
  await create("a", "b");
  const started = informerOf();
  await started.start();
  watchers[0]?.close();
  await remove("a");
  await until(() => watchers.length === 2 && reports.includes("-ns/a"));
  expect(reports).toEqual(["a", "b", "b", "-ns/a"]);
  expect(started.isCurrent).toBe(true);
});

test("reports nothing as deleted by a watch that ends before it has returned all objects", async () => {
  await create("a", "b");
  const whole = storage.watch;
  let isCut = false;
  storage = {
    ...storage,
    async watch(request, options) {
      const watcher = await whole(request, options);
      if (!isCut) return watcher;
      isCut = false;
      watcher.close();
      return watcher;
    },
  };
  await informerOf().start();
  isCut = true;
  watchers[0]?.close();
  await until(() => watchers.length === 3);
  await until(() => informer?.isCurrent === true);
  expect(reports.filter((each) => each.startsWith("-"))).toEqual([]);
});

test("start rejects when the watch ends before all objects are read", async () => {
  const whole = storage.watch;
  storage = {
    ...storage,
    async watch(request, options) {
      const watcher = await whole(request, options);
      watcher.close();
      return watcher;
    },
  };
  await expect(informerOf().start()).rejects.toThrow("the watch ended before its initial objects were read");
});

test("startWithRetries starts again after a watch that ends too early", async () => {
  await create("a");
  const whole = storage.watch;
  let cuts = 2;
  storage = {
    ...storage,
    async watch(request, options) {
      const watcher = await whole(request, options);
      cuts -= 1;
      if (cuts >= 0) watcher.close();
      return watcher;
    },
  };
  await informerOf().startWithRetries();
  expect([reports, informer?.isCurrent]).toEqual([["a"], true]);
});

test("reports in many turns of the event loop, and by steps of one object", async () => {
  await create("a", "b", "c");
  const turns: number[] = [];
  let turn = 0;
  let counting = true;
  const counted = (async () => {
    for (; counting; turn += 1) await nextTurn();
  })();
  await informerOf({
    loop: new EventLoopYielder({ sliceMs: 0 }),
    *changed({ name }) {
      for (let step = 0; step < 3; step += 1) {
        turns.push(turn);
        yield;
      }
      reports.push(name);
    },
  }).start();
  counting = false;
  await counted;
  expect(reports).toEqual(["a", "b", "c"]);
  expect(new Set(turns).size).toBeGreaterThan(5);
});

test("logs an error with one object, and reports the others", async () => {
  await create("a", "b");
  await informerOf({
    changed({ name }) {
      if (name === "a") throw new Error("too odd");
      reports.push(name);
    },
  }).start();
  expect(reports).toEqual(["b"]);
  expect(errors).toMatchObject([{ object: "ns/a" }]);
});

test("waits for advance when changes are read on demand", async () => {
  const calls: string[] = [];
  const started = informerOf({ readable: () => void calls.push("readable") });
  await started.start();
  await create("a");
  await until(() => calls.length > 0);
  expect(reports).toEqual([]);
  expect(started.advance(() => false)).toBe(true);
  expect(reports).toEqual(["a"]);
});

test("leaves no watch behind when it is closed while it starts", async () => {
  const started = informerOf();
  const starting = started.start();
  started.close();
  await starting;
  expect(registry.caches().reduce((sum, cache) => sum + cache.watchers, 0)).toBe(0);
});
