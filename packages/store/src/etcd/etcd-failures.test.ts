// Effects on clients of the store when members of a real cluster die, freeze and return.

import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { type CallOptions, type Revision, type Store, StoreError } from "../contract/contract";
import { type EtcdTransport, openStore } from "../open-store";
import { type EtcdProcesses, startEtcd } from "../testing/etcd-processes";
import { WatchRecorder } from "../testing/watch-recorder";

/** Test timeout for the slowest machine: the awaited events occur within seconds, or never. */
const LONG_MS = 120_000;
/** Timeout of a write. etcd delays a write for seconds when its leader dies during it. */
const PATIENCE_MS = 1500;
const QUICK_ELECTIONS = ["--heartbeat-interval=50", "--election-timeout=500"];

let cluster: EtcdProcesses;
let store: Store;
beforeAll(async () => {
  cluster = await startEtcd({ members: 3, tls: true, args: QUICK_ELECTIONS });
}, LONG_MS);
afterAll(() => cluster.stop(), LONG_MS);
afterEach(() => store.close());

const put = async (key: string, value = "1", options?: CallOptions): Promise<Revision> =>
  (await store.txn({ compare: [], then: [{ kind: "put", key, value: Buffer.from(value) }] }, options)).revision;

/** Repeats a request while the cluster is unable to answer, such as during an election. */
async function surely<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StoreError) || !["unknownOutcome", "unavailable"].includes(error.code)) throw error;
    }
  }
}

/** Repeats a write with an unknown outcome until its outcome is known. */
const putSurely = (key: string, value = "1"): Promise<Revision> =>
  surely(() => put(key, value, { timeoutMs: PATIENCE_MS }));

const openOn = (endpoints: readonly string[], transport: EtcdTransport = "direct") =>
  openStore({ kind: "etcd", endpoints, transport, ...(cluster.tls && { tls: cluster.tls }) });

test.each(["direct", "grpc-js"] as const)(
  "members killed one after the other: reads go on over %s, and the watch misses and repeats nothing",
  async (transport) => {
    store = await openOn(cluster.endpoints, transport);
    const folder = `/killed-${transport}/`;
    const from = (await putSurely(`${folder}begin`)) + 1;
    const seen = await new WatchRecorder(store, { start: "", end: "\0", fromRevision: from }).untilStarted();
    let last = from;
    let writing = true;
    const writer = (async () => {
      for (let i = 0; writing; i++) last = await putSurely(`${folder}key`, `${i}`);
    })();
    // The member that serves the store is among them.
    for (const member of cluster.members) {
      await member.kill();
      expect((await surely(() => store.range({ start: `${folder}begin` }))).count).toBe(1);
      const before = last;
      await seen.until(() => (seen.batches.at(-1)?.revision ?? 0) > before);
      await member.start();
    }
    writing = false;
    await writer;
    await seen.untilRevision(last);
    const revisions = seen.events.map((event) => (event.kind === "put" ? event.item.modRevision : event.modRevision));
    const missed = revisions.find((revision, i) => revision !== from + i);
    expect(missed).toBeUndefined();
    expect(seen.ended).toBeUndefined();
  },
  LONG_MS,
);

test(
  "a frozen member: calls and the watch move to another one while it stays frozen",
  async () => {
    store = await openOn(cluster.endpoints);
    const folder = "/frozen/";
    const seen = await new WatchRecorder(store, { start: folder, end: "/frozen0" }).untilStarted();
    for (const member of cluster.members) {
      // The member that served the watch has been frozen by then, and the watch has moved.
      if (seen.interruptions.length > 0) break;
      member.freeze();
      try {
        // etcd may have to elect a leader first. Then the store must find a working member.
        const other = await openOn(cluster.endpoints.filter((endpoint) => endpoint !== member.endpoint));
        await surely(() => other.range({ start: folder }));
        await other.close();
        const last = await putSurely(`${folder}key`, member.endpoint);
        await seen.untilRevision(last);
        expect((await surely(() => store.range({ start: `${folder}key` }))).items).toMatchObject([
          { modRevision: last },
        ]);
      } finally {
        member.thaw();
      }
    }
    expect(seen.interruptions).not.toEqual([]);
    expect(seen.ended).toBeUndefined();
  },
  LONG_MS,
);

test(
  "certificate files are read again for the next connection",
  async () => {
    const files = cluster.tls ?? {};
    const folder = mkdtempSync(join(tmpdir(), "store-tls-"));
    const mine = { caFile: join(folder, "ca"), certFile: join(folder, "cert"), keyFile: join(folder, "key") };
    try {
      copyFileSync(files.caFile ?? "", mine.caFile);
      copyFileSync(files.keyFile ?? "", mine.keyFile);
      // The certificate of the authority does not belong to the key.
      copyFileSync(files.caFile ?? "", mine.certFile);
      store = await openStore({ kind: "etcd", endpoints: cluster.endpoints, tls: mine });
      await expect(store.range({ start: "a" }, { timeoutMs: 300 })).rejects.toMatchObject({ code: "unavailable" });
      copyFileSync(files.certFile ?? "", mine.certFile);
      await expect(surely(() => store.range({ start: "a" }))).resolves.toMatchObject({ more: false });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  LONG_MS,
);

test(
  "with no member left calls say so, and work again when the cluster is back",
  async () => {
    const alone = await startEtcd();
    try {
      store = await openStore({ kind: "etcd", endpoints: alone.endpoints });
      const first = await put("a");
      const seen = await new WatchRecorder(store, { start: "a" }).untilStarted();
      await alone.members[0]?.kill();
      const bound = { timeoutMs: 300 };
      const code = (call: Promise<unknown>) =>
        call.then(
          () => "answered",
          (error: StoreError) => error.code,
        );
      expect(await code(store.range({ start: "a" }, bound))).toBe("unavailable");
      // Once the loss has been noticed, nothing is sent, and the outcome is known.
      while ((await code(put("a", "2", bound))) === "unknownOutcome");
      expect(await code(put("a", "2", bound))).toBe("unavailable");
      expect(await code(store.status(bound))).toBe("unavailable");
      await alone.members[0]?.start();
      const last = await putSurely("a", "3");
      await seen.untilRevision(last);
      expect(seen.lines).toEqual([`${first + 1} a=3`]);
      expect(seen.interruptions).toHaveLength(1);
      expect(seen.started).toEqual([first + 1, first + 1]);
    } finally {
      await alone.stop();
    }
  },
  LONG_MS,
);

test(
  "each endpoint tells its own status, whichever of them serves",
  async () => {
    const [down] = cluster.members;
    store = await openOn(cluster.endpoints);
    await down?.kill();
    try {
      const codes = await Promise.all(
        store.endpoints.map((endpoint) =>
          endpoint.status({ timeoutMs: 5000 }).then(
            () => "answers",
            (error: StoreError) => error.code,
          ),
        ),
      );
      expect(codes).toEqual(["unavailable", "answers", "answers"]);
      expect(store.endpoints.map(({ url }) => url)).toEqual(cluster.endpoints);
    } finally {
      await down?.start();
    }
  },
  LONG_MS,
);

test(
  "a store whose quota is used up refuses writes as full, and its status says why",
  async () => {
    const small = await startEtcd({ args: ["--quota-backend-bytes=4194304"] });
    try {
      store = await openStore({ kind: "etcd", endpoints: small.endpoints });
      const fill = async (): Promise<StoreError> => {
        for (let i = 0; ; i++) {
          try {
            await surely(() =>
              store.txn({ compare: [], then: [{ kind: "put", key: `${i}`, value: Buffer.alloc(1_000_000) }] }),
            );
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
  },
  LONG_MS,
);
