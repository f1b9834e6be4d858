// A store used through encryption: it fulfils the contract of every store, and the inner store holds ciphertext.
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import type { Operation, Store, StoreWatch, WatchBatch, WatchHandlers } from "../contract/contract";
import { openStore } from "../open-store";
import { describeStoreContract } from "../testing/store-contract";
import { WatchRecorder } from "../testing/watch-recorder";
import { aesGcmProvider } from "./aes";
import { EncryptingStore, type ProvidersOf } from "./encrypting-store";
import { EncryptionError, type EncryptionProvider, IDENTITY } from "./provider";
import { ValueProviders } from "./value-providers";

const MARKER = "orch:enc:";
const ALL = { start: "\0", end: "\0" };
const gcm = (fill: number) => aesGcmProvider({ name: `key${fill}`, secret: Buffer.alloc(32, fill) });
let clock = new ManualClock();

/** Returns providers for all keys except those that contain `plain`. */
function providersOf(...[first, ...others]: readonly [EncryptionProvider, ...EncryptionProvider[]]): ProvidersOf {
  const providers = new ValueProviders({ marker: MARKER, clock, observe() {} }, [first, ...others]);
  return (key) => (key.includes("plain") ? undefined : providers);
}

const over = (inner: Store, providers: ProvidersOf) =>
  new EncryptingStore(inner, { marker: MARKER, clock, providersOf: providers });
const put = (key: string, value = key): Operation => ({ kind: "put", key, value: Buffer.from(value) });
const write = (to: Store, ...then: readonly Operation[]) => to.txn({ compare: [], then });

describeStoreContract("an encrypted store", async () => over(await openStore({ kind: "memory" }), providersOf(gcm(1))));

/** A provider that asks a service, which answers when the test allows it. */
class Asking implements EncryptionProvider {
  readonly prefix = "kms:v1:s:";
  isAway = false;
  private readonly held: (() => void)[] = [];
  constructor(private isHeld = false) {}

  get asked(): number {
    return this.held.length;
  }

  /** Answers the calls, the last one first. */
  release(): void {
    this.isHeld = false;
    for (const go of this.held.splice(0).reverse()) go();
  }

  encrypt = async (plain: Buffer) => {
    if (this.isAway) throw new EncryptionError("it is away", { isTransient: true });
    return plain;
  };
  decrypt = async (payload: Buffer) => {
    if (this.isHeld) await new Promise<void>((resolve) => this.held.push(resolve));
    if (this.isAway) throw new EncryptionError("it is away", { isTransient: true });
    return { plain: payload, isStale: false };
  };
  close(): void {}
}

let inner: Store;
beforeEach(async () => {
  clock = new ManualClock();
  inner = await openStore({ kind: "memory" });
});
afterEach(() => inner.close());

const valuesIn = async (store: Store) =>
  (await store.range(ALL)).items.map(({ key, value, mark }) => [key, value.toString(), mark?.kind]);

describe("a written value", () => {
  test("lies encrypted beneath, by its key, whatever else the transaction does", async () => {
    const store = over(inner, providersOf(gcm(1)));
    const compare = [{ key: "a", target: "createRevision", is: "=", revision: 0 }] as const;
    const request = { compare, then: [put("a"), put("plain")], else: [put("b"), { kind: "range", ...ALL }] } as const;
    expect((await store.txn(request)).succeeded).toBe(true);
    const { results } = await store.txn(request);
    expect(results).toMatchObject([{ kind: "put" }, { items: [{ value: Buffer.from("a") }, {}, {}] }]);
    const beneath = (await inner.range(ALL)).items.map(({ value }) => value.toString("latin1"));
    expect(beneath).toEqual([
      expect.stringMatching(/^orch:enc:aesgcm:v1:key1:/),
      expect.stringMatching(/^orch:enc:aesgcm:v1:key1:/),
      "plain",
    ]);
    expect(await valuesIn(store)).toEqual([
      ["a", "a", undefined],
      ["b", "b", undefined],
      ["plain", "plain", undefined],
    ]);
  });

  test("is not sent when it cannot be encrypted", async () => {
    const asking = new Asking();
    asking.isAway = true;
    const store = over(inner, providersOf(asking));
    await expect(write(store, put("a"))).rejects.toMatchObject({
      code: "internal",
      message: "the value cannot be encrypted: it is away",
    });
    expect((await inner.range(ALL)).count).toBe(0);
  });
});

test("a watch delivers a value that no watch needs as it is stored", async () => {
  const asking = new Asking();
  const isUnwatched = (key: string) => key.startsWith("history/");
  const store = new EncryptingStore(inner, { marker: MARKER, clock, providersOf: providersOf(asking), isUnwatched });
  const decrypt = jest.spyOn(asking, "decrypt");
  await write(store, put("a"), put("history/a"), put("z"));
  const watch = await new WatchRecorder(store, { ...ALL, fromRevision: 1 }).untilStarted();
  await watch.until(() => watch.events.length === 3);
  expect(watch.events.map((event) => event.kind === "put" && event.item.value.toString())).toEqual([
    "a",
    "orch:enc:kms:v1:s:history/a",
    "z",
  ]);
  expect(decrypt).toHaveBeenCalledTimes(2);
  // Reads open it.
  expect(await valuesIn(store)).toContainEqual(["history/a", "history/a", undefined]);
});

describe("a value that is read", () => {
  test("is marked where it is stale, and where nothing can read it", async () => {
    await write(over(inner, providersOf(gcm(1))), put("old"));
    await write(over(inner, providersOf(gcm(2))), put("new"));
    await write(over(inner, providersOf(gcm(3))), put("lost"));
    await write(inner, put("none"), put("plain", `${MARKER}of a resource that is not encrypted any more`));
    const store = over(inner, providersOf(gcm(2), gcm(1), IDENTITY));
    const watch = await new WatchRecorder(store, { ...ALL, fromRevision: 1 }).untilStarted();
    await watch.until(() => watch.events.length === 5);
    const seen = watch.events.flatMap((event) => (event.kind === "put" ? [event.item] : []));
    const { items } = await store.range(ALL);
    for (const read of [items, [...seen].sort((a, b) => (a.key < b.key ? -1 : 1))]) {
      expect(read.map(({ key, mark }) => [key, mark])).toEqual([
        ["lost", { kind: "unreadable", why: "no matching prefix found" }],
        ["new", undefined],
        ["none", { kind: "stale" }],
        ["old", { kind: "stale" }],
        ["plain", { kind: "unreadable", why: "no matching prefix found" }],
      ]);
    }
  });

  test("without its value needs no key", async () => {
    await write(over(inner, providersOf(gcm(1))), put("a"));
    const store = over(inner, providersOf(gcm(2)));
    const keysOnly = { ...ALL, keysOnly: true };
    expect((await store.range(keysOnly)).items[0]?.mark).toBeUndefined();
    const { results } = await write(store, { kind: "range", ...keysOnly });
    expect(results).toMatchObject([{ items: [{ key: "a" }] }]);
    expect(JSON.stringify(results)).not.toContain("mark");
  });

  test("is given whole and in order, however much it is", async () => {
    const store = over(inner, providersOf(gcm(1)));
    const names = Array.from({ length: 40 }, (_, at) => `${100 + at}`);
    for (const name of names) await write(store, put(name, name.repeat(30_000)));
    const { items } = await store.range(ALL);
    expect(items.map(({ key }) => key)).toEqual(names);
    expect(items.every(({ key, value }) => value.toString() === key.repeat(30_000))).toBe(true);
  });

  test("is asked about a few at a time", async () => {
    const asking = new Asking(true);
    const store = over(inner, providersOf(asking));
    for (let at = 0; at < 50; at += 1) await write(store, put(`${100 + at}`));
    const reading = store.range(ALL);
    while (asking.asked === 0) await new Promise(setImmediate);
    expect(asking.asked).toBe(32);
    asking.release();
    expect((await reading).items.map(({ value }) => value.toString())).toHaveLength(50);
  });
});

test("a backup is of what lies beneath", async () => {
  const without = Object.create(inner, { backup: { value: undefined } }) as Store;
  expect(over(without, providersOf(gcm(1))).backup).toBeUndefined();
  async function* backup() {
    yield Buffer.from("as it is");
  }
  const pieces: string[] = [];
  for await (const piece of over({ ...inner, backup }, providersOf(gcm(1))).backup?.() ?? [])
    pieces.push(piece.toString());
  expect(pieces).toEqual(["as it is"]);
});

describe("a watch", () => {
  test("a watch of values with cached keys delivers them at once", () => {
    let handlers: WatchHandlers | undefined;
    const store = over({ ...inner, watch: watchOf((inside) => (handlers = inside)) }, providersOf(gcm(1)));
    const heard: WatchBatch[] = [];
    store.watch(ALL, { batch: (batch) => heard.push(batch), ended() {} });
    const plain = batchOf(1, ["plain"]);
    handlers?.batch(plain);
    expect(heard[0]).toBe(plain);
    handlers?.batch(batchOf(2, ["a"]));
    expect(heard.map(({ revision }) => revision)).toEqual([1, 2]);
  });

  test("brings what comes after what is asked about after it, and its end last", async () => {
    const asking = new Asking(true);
    const store = over(inner, providersOf(asking));
    const watch = await new WatchRecorder(store, ALL).untilStarted();
    await write(store, put("a"));
    await write(store, put("b"));
    await write(store, put("plain"), { kind: "delete", start: "a" });
    while (asking.asked === 0) await new Promise(setImmediate);
    expect(watch.events).toEqual([]);
    await inner.close();
    expect(watch.ended).toBeUndefined();
    asking.release();
    await watch.until(() => watch.ended !== undefined);
    expect(watch.lines.map((line) => line.slice(2))).toEqual(["a=a", "b=b", "plain=plain", "a"]);
    expect(watch.ended).toMatchObject({ code: "closed" });
  });

  test("that is closed hears of nothing any more", async () => {
    const asking = new Asking(true);
    const store = over(inner, providersOf(asking));
    const watch = await new WatchRecorder(store, ALL).untilStarted();
    await write(store, put("a"));
    while (asking.asked === 0) await new Promise(setImmediate);
    watch.watch.close();
    expect(watch.ended).toBe("closed");
    asking.release();
    await new Promise(setImmediate);
    expect(watch.events).toEqual([]);
  });

  test("a watch with a full queue ends after the queued events so that it can be resumed", async () => {
    const asking = new Asking(true);
    let handlers: WatchHandlers | undefined;
    let closed = 0;
    const watching = watchOf(
      (inside) => (handlers = inside),
      () => (closed += 1),
    );
    const store = over({ ...inner, watch: watching }, providersOf(asking));
    const watch = new WatchRecorder(store, ALL);
    for (let revision = 1; revision <= 100; revision += 1) handlers?.batch(batchOf(revision, ["a"], 1024 * 1024));
    expect([closed, watch.ended]).toEqual([1, undefined]);
    asking.release();
    await watch.until(() => watch.ended !== undefined);
    expect(watch.ended).toMatchObject({ code: "unavailable" });
    expect(watch.batches.map(({ revision }) => revision)).toEqual(Array.from({ length: 64 }, (_, at) => at + 1));
  });
});

describe("an undecryptable value", () => {
  const OLD = providersOf(gcm(1));

  test("is read anew by those who watch, when another configuration comes; what could be is not", async () => {
    const store = over(inner, providersOf(gcm(1)));
    await write(store, put("a"));
    const watch = await new WatchRecorder(store, ALL).untilStarted();
    await store.range(ALL);
    store.use(providersOf(gcm(2)));
    expect(watch.ended).toBeUndefined();
    expect(await valuesIn(store)).toMatchObject([["a", expect.any(String), "unreadable"]]);
    store.use(providersOf(gcm(2), gcm(1)));
    expect(watch.ended).toMatchObject({ code: "compacted" });
    expect(await valuesIn(store)).toEqual([["a", "a", "stale"]]);
  });

  test("that failed because the service was unavailable is read again when the service recovers", async () => {
    const asking = new Asking();
    const store = over(inner, providersOf(asking, gcm(1)));
    await write(store, put("a"));
    await write(over(inner, OLD), put("b"));
    const watch = await new WatchRecorder(store, ALL).untilStarted();
    asking.isAway = true;
    expect(await valuesIn(store)).toMatchObject([
      ["a", expect.any(String), "unreadable"],
      ["b", "b", "stale"],
    ]);
    expect(clock.waiting).toBe(1);
    clock.advance(1000);
    await new Promise(setImmediate);
    expect([watch.ended, clock.waiting]).toEqual([undefined, 1]);
    asking.isAway = false;
    clock.advance(2000);
    await watch.until(() => watch.ended !== undefined);
    expect(watch.ended).toMatchObject({ code: "compacted" });
    expect(clock.waiting).toBe(0);
    expect(await valuesIn(store)).toEqual([
      ["a", "a", undefined],
      ["b", "b", "stale"],
    ]);
  });

  test("is looked for no more once the store is closed", async () => {
    const asking = new Asking();
    const store = over(inner, providersOf(asking));
    await write(store, put("a"));
    asking.isAway = true;
    await store.range(ALL);
    expect(clock.waiting).toBe(1);
    await store.close();
    expect(clock.waiting).toBe(0);
  });
});

function watchOf(opened: (handlers: WatchHandlers) => void, closed = () => {}) {
  return (_request: object, handlers: WatchHandlers): StoreWatch => {
    opened(handlers);
    return { close: closed };
  };
}

/** Returns a batch of the inner store: encrypted by the service, except for the plain values. */
function batchOf(revision: number, keys: readonly string[], bytes = 1): WatchBatch {
  const of = (key: string) => (key === "plain" ? "x" : `${MARKER}kms:v1:s:${"x".repeat(bytes)}`);
  return {
    revision,
    events: keys.map((key) => ({
      kind: "put",
      item: { key, value: Buffer.from(of(key)), createRevision: 1, modRevision: revision, version: 1, lease: 0 },
    })),
  };
}
