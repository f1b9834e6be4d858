// What clients of the store notice when members of a real cluster die, freeze and come back.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { type Revision, type Store, StoreError } from "../contract";
import { openStore } from "../open-store";
import { type EtcdMember, type EtcdProcesses, startEtcd } from "../testing/etcd-processes";
import { WatchRecorder } from "../testing/watch-recorder";

const FROZEN_BOUND_MS = 10_000;

let cluster: EtcdProcesses;
let store: Store;
beforeAll(async () => {
  cluster = await startEtcd({ members: 3, tls: true });
});
afterAll(() => cluster.stop());
afterEach(() => store.close());

const put = async (key: string, value = "1"): Promise<Revision> =>
  (await store.txn({ compare: [], then: [{ kind: "put", key, value: Buffer.from(value) }] })).revision;

/** A write whose outcome may be unknown, repeated by its author until it is known. */
async function putSurely(key: string, value = "1"): Promise<Revision> {
  for (;;) {
    try {
      return await put(key, value);
    } catch (error) {
      if (!(error instanceof StoreError) || !["unknownOutcome", "unavailable"].includes(error.code)) throw error;
    }
  }
}

/** Takes away one member after the other, so that whichever serves the store is among them. */
async function eachInTurn(act: (member: EtcdMember) => Promise<void>): Promise<void> {
  for (const member of cluster.members) await act(member);
}

describe.each(["http2", "grpc-js"] as const)("a TLS cluster of three over %s", (transport) => {
  beforeEach(async () => {
    store = await openStore({
      kind: "etcd",
      endpoints: cluster.endpoints,
      transport,
      ...(cluster.tls && { tls: cluster.tls }),
    });
  });

  test("members killed one after the other: reads go on, and the watch misses and repeats nothing", async () => {
    const folder = `/killed-${transport}/`;
    const from = (await putSurely(`${folder}begin`)) + 1;
    const seen = await new WatchRecorder(store, { start: "", end: "\0", fromRevision: from }).untilStarted();
    let last = from;
    let writing = true;
    const writer = (async () => {
      for (let i = 0; writing; i++) last = await putSurely(`${folder}key`, `${i}`);
    })();
    await eachInTurn(async (member) => {
      await member.kill();
      expect((await store.range({ start: `${folder}begin` })).count).toBe(1);
      const before = last;
      await seen.until(() => (seen.batches.at(-1)?.revision ?? 0) > before);
      await member.start();
    });
    writing = false;
    await writer;
    await seen.untilRevision(last);
    const revisions = seen.events.map((event) => (event.kind === "put" ? event.item.modRevision : event.modRevision));
    const missed = revisions.find((revision, i) => revision !== from + i);
    expect(missed).toBeUndefined();
    expect(seen.ended).toBeUndefined();
  }, 90_000);

  test("a frozen member: calls and the watch move to another one in time", async () => {
    const folder = `/frozen-${transport}/`;
    const seen = await new WatchRecorder(store, { start: folder, end: `${folder.slice(0, -1)}0` }).untilStarted();
    await eachInTurn(async (member) => {
      member.freeze();
      try {
        // etcd may have to elect a leader first; then it is for this store to find its way.
        const other = await openStore({
          kind: "etcd",
          endpoints: cluster.endpoints.filter((endpoint) => endpoint !== member.endpoint),
          ...(cluster.tls && { tls: cluster.tls }),
        });
        await other.range({ start: folder });
        await other.close();
        const begun = Date.now();
        const last = await putSurely(`${folder}key`, member.endpoint);
        await seen.untilRevision(last);
        expect(Date.now() - begun).toBeLessThan(FROZEN_BOUND_MS);
        expect((await store.range({ start: `${folder}key` })).items).toMatchObject([{ modRevision: last }]);
      } finally {
        member.thaw();
      }
    });
    expect(seen.ended).toBeUndefined();
  }, 120_000);
});

test("with no member left calls say so, and work again when the cluster is back", async () => {
  const alone = await startEtcd();
  try {
    store = await openStore({ kind: "etcd", endpoints: alone.endpoints });
    const first = await put("a");
    const seen = await new WatchRecorder(store, { start: "a" }).untilStarted();
    await alone.members[0]?.kill();
    const dead = await Promise.allSettled([put("a", "2"), store.range({ start: "a" }), store.status()]);
    expect(dead.map((one) => (one.status === "rejected" ? one.reason.code : one.value))).toEqual(
      Array(3).fill("unavailable"),
    );
    await alone.members[0]?.start();
    const last = await putSurely("a", "3");
    await seen.untilRevision(last);
    expect(seen.lines).toEqual([`${first + 1} a=3`]);
    expect(seen.interruptions).toHaveLength(1);
    expect(seen.started).toEqual([first + 1, first + 1]);
  } finally {
    await alone.stop();
  }
}, 30_000);

test("a store whose quota is used up refuses writes as full, and its status says why", async () => {
  const small = await startEtcd({ args: ["--quota-backend-bytes=4194304"] });
  try {
    store = await openStore({ kind: "etcd", endpoints: small.endpoints });
    const fill = async (): Promise<StoreError> => {
      for (let i = 0; ; i++) {
        try {
          await store.txn({ compare: [], then: [{ kind: "put", key: `${i}`, value: Buffer.alloc(1_000_000) }] });
        } catch (error) {
          return error as StoreError;
        }
      }
    };
    expect(await fill()).toMatchObject({ code: "full" });
    expect((await store.status()).alarms).toEqual(["NOSPACE"]);
    expect((await store.range({ start: "0", keysOnly: true })).count).toBe(1);
  } finally {
    await small.stop();
  }
}, 30_000);
