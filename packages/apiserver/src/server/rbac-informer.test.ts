import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import type { RbacChange } from "@orch/auth";
import { SILENT } from "@orch/observability";
import { createRegistry, EventLoopYielder, type Registry, type ResourceStorage, type Watcher } from "@orch/registry";
import { loadSchema, vocabularyOf } from "@orch/schema";
import { serverWrite } from "@orch/served-resources";
import { openStore, type Store } from "@orch/store";
import { RbacInformer } from "./rbac-informer";

const vocabulary = vocabularyOf("orch");
const definition = builtInResources(vocabulary, loadSchema(vocabulary)).find(({ plural }) => plural === "clusterroles");

let store: Store;
let registry: Registry;
let storage: ResourceStorage;
let watchers: Watcher[];
let applied: RbacChange[];
let turnOf: number[];
let turn: number;
let informers: RbacInformer[];

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  registry = createRegistry({ store, vocabulary });
  if (definition === undefined) throw new Error("there are no cluster roles");
  const stored = registry.resource(definition);
  await registry.ready();
  watchers = [];
  storage = {
    ...stored,
    async watch(request, options) {
      const watcher = await stored.watch(request, options);
      watchers.push(watcher);
      return watcher;
    },
  };
  [applied, turnOf, turn, informers] = [[], [], 0, []];
});
afterEach(async () => {
  for (const informer of informers) informer.close();
  await registry.close();
  await store.close();
});

/** @param now clock of decisions, in milliseconds */
function informerOf(now?: () => number): RbacInformer {
  const informer = new RbacInformer({
    storage,
    kind: "ClusterRole",
    loop: new EventLoopYielder({ sliceMs: 0 }),
    logger: SILENT,
    apply(change) {
      applied.push(change);
      turnOf.push(turn);
    },
    ...(now && { now }),
  });
  informers.push(informer);
  return informer;
}

async function create(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await storage.create({ metadata: { name }, rules: [] }, { namespace: "", name }, serverWrite(storage, vocabulary));
  }
}

const remove = (name: string) => storage.delete({ namespace: "", name }, {}, serverWrite(storage, vocabulary));

const told = (): string[] => applied.map(({ name, object }) => (object === undefined ? `-${name}` : name));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await nextTurn();
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `r${String(at).padStart(3, "0")}`);

test("hands on all that there is, a little in each turn", async () => {
  const names = numbered(300);
  await create(...names);
  let counting = true;
  const count = async () => {
    for (; counting; turn += 1) await nextTurn();
  };
  const counted = count();
  await informerOf().start();
  counting = false;
  await counted;
  expect(told()).toEqual(names);
  // Each turn of the event loop applied only a few of them.
  expect(new Set(turnOf).size).toBeGreaterThan(names.length / 3);
});

test("hands on what has happened when it is asked, and by itself when it is not", async () => {
  const informer = informerOf();
  await informer.start();
  await create("a");
  await until(() => {
    informer.refresh();
    return applied.length === 1;
  });
  await remove("a");
  await until(() => applied.length === 2);
  expect(told()).toEqual(["a", "-a"]);
  expect(applied[1]?.revision).toBeGreaterThan(applied[0]?.revision ?? 0);
});

test("a decision waits for a bounded part of what has happened at once; the rest follows", async () => {
  let nowMs = 0;
  const informer = informerOf(() => {
    nowMs += 1;
    return nowMs;
  });
  await informer.start();
  const names = numbered(40);
  await create(...names);
  await until(() => storage.peek({ namespace: "", name: "r039" }) !== undefined);
  const before = applied.length;
  // All decisions of one turn together.
  for (let decision = 0; decision < 10; decision += 1) informer.refresh();
  expect(applied.length - before).toBeLessThan(10);
  await until(() => applied.length === names.length);
  expect(told()).toEqual(names);
});

test("begins again where its watch has ended, and takes back what is gone meanwhile", async () => {
  await create("a", "b");
  const informer = informerOf();
  await informer.start();
  watchers[0]?.close();
  await remove("a");
  await create("c");
  await until(() => watchers.length === 2 && applied.some(({ name }) => name === "c"));
  await until(() => told().at(-1) === "-a");
  expect(told()).toEqual(["a", "b", "b", "c", "-a"]);
});
