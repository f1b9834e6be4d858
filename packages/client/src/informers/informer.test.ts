import { describe, expect, test } from "@jest/globals";
import { StatusError } from "@orch/machinery";
import { silentLog } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import { ManualClock, settled } from "@orch/testing";
import type { ListOptions, WatchOptions } from "../requests/options";
import type { WatchEvent } from "../requests/watch-events";
import { Informer, type InformerOptions } from "./informer";
import type { List, ListSource } from "./list-source";
import { keyOf } from "./object-store";

const object = (name: string, resourceVersion: string, more: JsonObject = {}): JsonObject => ({
  metadata: { name, namespace: "default", resourceVersion, ...more },
});
const added = (name: string, version: string) => ({ type: "ADDED", object: object(name, version) }) as const;
const bookmark = (resourceVersion: string) => ({ type: "BOOKMARK", resourceVersion, annotations: {} }) as const;
const tooOld = () => new StatusError("Expired", "too old resource version");
const listOf = (resourceVersion: string, items: readonly JsonObject[], token = ""): List<JsonObject> => ({
  items,
  resourceVersion,
  continue: token,
});

type Step = List<JsonObject> | Error;

/** A watch whose events the test supplies. */
class OpenWatch {
  private readonly events: (WatchEvent<JsonObject> | Error | "end")[] = [];
  private wake: () => void = () => {};

  constructor(readonly options: WatchOptions) {
    options.signal?.addEventListener("abort", () => this.push(options.signal?.reason as Error));
  }

  push(event: WatchEvent<JsonObject> | Error | "end"): void {
    this.events.push(event);
    this.wake();
  }

  async *read(): AsyncGenerator<WatchEvent<JsonObject>, void, undefined> {
    for (;;) {
      const next = this.events.shift();
      if (next === undefined) await new Promise<void>((resolve) => (this.wake = resolve));
      else if (next === "end") return;
      else if (next instanceof Error) throw next;
      else yield next;
    }
  }
}

/** A server that answers lists from a script, and whose watches the test supplies. */
class Script implements ListSource<JsonObject> {
  readonly lists: ListOptions[] = [];
  readonly watches: OpenWatch[] = [];

  constructor(private readonly answers: Step[]) {}

  async list({ signal: _, ...options }: ListOptions): Promise<List<JsonObject>> {
    this.lists.push(options);
    const answer = this.answers.shift() ?? new Error("no more lists in the script");
    if (answer instanceof Error) throw answer;
    return answer;
  }

  watch(options: WatchOptions): AsyncIterable<WatchEvent<JsonObject>> {
    const watch = new OpenWatch(options);
    this.watches.push(watch);
    return watch.read();
  }

  get last(): OpenWatch {
    return this.watches.at(-1) as OpenWatch;
  }
}

function run(script: Script, options: Partial<InformerOptions<JsonObject>> = {}) {
  const clock = new ManualClock();
  const informer = new Informer(script, { name: "test", ...options }, { clock, chance: () => 0, log: silentLog });
  const told: string[] = [];
  informer.addHandler({
    added: (each, isInInitialList) => void told.push(`+${keyOf(each)}${isInInitialList ? " initial" : ""}`),
    updated: (_, each) => void told.push(`~${keyOf(each)}`),
    deleted: (each, isFinalState) => void told.push(`-${keyOf(each)}${isFinalState ? "" : " unseen"}`),
  });
  const stop = new AbortController();
  return { clock, informer, told, stop, ended: informer.run(stop.signal) };
}

describe("a watch", () => {
  test("goes on after its end from the last version seen, bookmarks included", async () => {
    const script = new Script([listOf("10", [object("a", "7")])]);
    const { clock, stop, ended, informer } = run(script);
    await settled();
    expect(script.lists).toEqual([{ limit: 500, resourceVersion: "0" }]);
    expect(script.last.options).toMatchObject({
      resourceVersion: "10",
      allowWatchBookmarks: true,
      timeoutSeconds: 300,
    });
    script.last.push(added("b", "12"));
    script.last.push("end");
    await settled();
    expect(script.last.options.resourceVersion).toBe("12");
    script.last.push(bookmark("99"));
    script.last.push("end");
    await settled();
    expect(script.last.options.resourceVersion).toBe("99");
    expect([script.lists.length, script.watches.length, informer.resourceVersion]).toEqual([1, 3, "99"]);
    stop.abort();
    await ended;
    expect(clock.waiting).toBe(0);
  });

  test("that says nothing beyond its time is cut and taken up again", async () => {
    const script = new Script([listOf("10", [])]);
    const { clock, stop, ended } = run(script);
    await clock.pass(329_000);
    expect(script.watches).toHaveLength(1);
    await clock.pass(2_000); // the timeout, and the delay after it
    expect(script.watches).toHaveLength(2);
    expect(script.last.options.resourceVersion).toBe("10");
    stop.abort();
    await ended;
  });

  test("that breaks is taken up after pauses that grow, without a list", async () => {
    const script = new Script([listOf("10", [])]);
    const { clock, stop, ended } = run(script);
    await settled();
    for (const waitMs of [800, 1600, 3200]) {
      const { length } = script.watches;
      script.last.push(new Error("connection reset"));
      await clock.pass(waitMs - 1);
      expect(script.watches).toHaveLength(length);
      await clock.pass(1);
      expect(script.watches).toHaveLength(length + 1);
    }
    expect(script.lists).toHaveLength(1);
    stop.abort();
    await ended;
  });

  test("an expired watch leads to a list, which reports all missed changes", async () => {
    const script = new Script([
      listOf("10", [object("gone", "1"), object("same", "2"), object("changed", "3")]),
      listOf("50", [object("same", "2"), object("changed", "40"), object("new", "41")]),
    ]);
    const { told, stop, ended, informer } = run(script);
    await settled();
    script.last.push(tooOld());
    await settled();
    expect(script.lists[1]).toEqual({ resourceVersion: "10" });
    expect(told.slice(3)).toEqual(["~default/changed", "+default/new", "-default/gone unseen"]);
    expect(script.last.options.resourceVersion).toBe("50");
    expect([...informer.store.values()].map(keyOf).sort()).toEqual(["default/changed", "default/new", "default/same"]);
    stop.abort();
    await ended;
  });

  test("that ends at once with nothing said is a failure, not a reason to ask in a circle", async () => {
    const script = new Script([listOf("10", []), listOf("11", [])]);
    const { clock, stop, ended } = run(script);
    await settled();
    script.last.push("end");
    await settled();
    expect(script.watches).toHaveLength(1);
    await clock.pass(800);
    expect([script.lists.length, script.watches.length]).toEqual([2, 2]);
    stop.abort();
    await ended;
  });
});

test("a canceled wait for an informer is removed", async () => {
  const { informer, stop, ended } = run(new Script([new Error("the server is away"), listOf("10", [])]));
  const gone = new AbortController();
  const waiting = informer.synced(gone.signal);
  gone.abort(new Error("no longer"));
  await expect(waiting).rejects.toThrow("no longer");
  await expect(informer.synced(gone.signal)).rejects.toThrow("no longer");
  expect(Reflect.get(informer, "waiting")).toEqual(new Set());
  stop.abort();
  await ended;
});

describe("a list", () => {
  test("is read in pages, and whole where its snapshot vanishes meanwhile", async () => {
    const script = new Script([
      listOf("10", [object("a", "1")], "next"),
      listOf("10", [object("b", "2")], "more"),
      tooOld(),
      listOf("30", [object("a", "1"), object("b", "2"), object("c", "3")]),
    ]);
    const { informer, stop, ended } = run(script);
    await informer.synced();
    expect(script.lists).toEqual([
      { limit: 500, resourceVersion: "0" },
      { limit: 500, continue: "next" },
      { limit: 500, continue: "more" },
      { resourceVersion: "0" },
    ]);
    expect([informer.store.size, informer.resourceVersion]).toEqual([3, "30"]);
    stop.abort();
    await ended;
  });

  test("a list of an unknown resource version is repeated at the most recent", async () => {
    const script = new Script([
      listOf("10", []),
      new StatusError("Timeout", "Timeout: Too large resource version: 10, current: 4"),
      listOf("4", [object("a", "4")]),
    ]);
    const { informer, stop, ended } = run(script);
    await settled();
    script.last.push(tooOld());
    await settled();
    expect(script.lists.slice(1)).toEqual([{ resourceVersion: "10" }, { limit: 500 }]);
    expect(informer.resourceVersion).toBe("4");
    stop.abort();
    await ended;
  });

  test("a failed list is retried after a pause, and the informer is not synced before", async () => {
    const script = new Script([new Error("connection refused"), listOf("10", [object("a", "1")])]);
    const { clock, informer, told, stop, ended } = run(script);
    await clock.pass(799);
    expect([informer.hasSynced, script.lists.length]).toEqual([false, 1]);
    await clock.pass(1);
    expect([informer.hasSynced, told]).toEqual([true, ["+default/a initial"]]);
    stop.abort();
    await ended;
  });
});

describe("handlers", () => {
  test("go their own pace, and one that fails hears of the next event all the same", async () => {
    const script = new Script([listOf("10", [object("a", "1")])]);
    const { informer, told, stop, ended } = run(script);
    const slow: string[] = [];
    const gates: (() => void)[] = [];
    informer.addHandler({
      added: async (each) => {
        slow.push(keyOf(each));
        await new Promise<void>((resolve) => gates.push(resolve));
        throw new Error("broken");
      },
    });
    await settled();
    script.last.push(added("b", "11"));
    await settled();
    expect([told.length, slow, informer.hasSynced]).toEqual([2, ["default/a"], false]);
    gates.shift()?.();
    await settled();
    expect([slow, informer.hasSynced]).toEqual([["default/a", "default/b"], true]);
    stop.abort();
    await ended;
  });

  test("are told of everything again at a resync", async () => {
    const script = new Script([listOf("10", [object("a", "1"), object("b", "2")])]);
    const { clock, told, stop, ended } = run(script, { resyncMs: 60_000 });
    await clock.pass(60_000);
    expect(told.slice(2)).toEqual(["~default/a", "~default/b"]);
    stop.abort();
    await ended;
    expect(clock.waiting).toBe(0);
  });
});

test("objects are found by the uid of their owner, as long as it owns them", async () => {
  const owned = (version: string, uids: readonly string[]) =>
    object("child", version, { ownerReferences: uids.map((uid) => ({ uid })) });
  const script = new Script([listOf("10", [owned("1", ["u1", "u2"])])]);
  const { informer, stop, ended } = run(script);
  await settled();
  expect(informer.store.indexValues("ownerUid").sort()).toEqual(["u1", "u2"]);
  script.last.push({ type: "MODIFIED", object: owned("11", ["u2"]) });
  await settled();
  expect(informer.store.byIndex("ownerUid", "u1")).toEqual([]);
  expect(informer.store.byIndex("ownerUid", "u2")).toHaveLength(1);
  script.last.push({ type: "DELETED", object: owned("12", ["u2"]) });
  await settled();
  expect(informer.store.indexValues("ownerUid")).toEqual([]);
  stop.abort();
  await ended;
});

test("an object dropped by a transform is not stored", async () => {
  const script = new Script([listOf("10", [{ ...object("a", "1"), data: { big: "text" } }])]);
  const { informer, stop, ended } = run(script, { transform: ({ data: _, ...rest }) => rest });
  await settled();
  expect(informer.store.get("default/a")).toEqual(object("a", "1"));
  stop.abort();
  await ended;
});
