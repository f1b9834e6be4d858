// The store distinguishes a cluster restored to an earlier state from one that continues, and from lagging members.

import { afterEach, describe, expect, test } from "@jest/globals";
import { type Revision, type Store, StoreError } from "../contract/contract";
import { type EtcdTransport, openStore } from "../open-store";
import { type EtcdProcesses, startEtcd } from "../testing/etcd-processes";
import { TcpGate } from "../testing/tcp-gate";
import { WatchRecorder } from "../testing/watch-recorder";

const LONG_MS = 120_000;
const EVERYTHING = { start: "\0", end: "\0" };
const QUICK_ELECTIONS = ["--heartbeat-interval=50", "--election-timeout=500"];

const ends: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
}, LONG_MS);

async function cluster(members: number): Promise<EtcdProcesses> {
  const etcd = await startEtcd({ members, args: QUICK_ELECTIONS });
  ends.push(() => etcd.stop());
  return etcd;
}

async function opened(endpoints: readonly string[], transport: EtcdTransport = "direct"): Promise<Store> {
  const store = await openStore({ kind: "etcd", endpoints, transport });
  ends.push(() => store.close());
  return store;
}

async function gateTo(endpoint: string): Promise<TcpGate> {
  const gate = await TcpGate.to(endpoint);
  ends.push(() => gate.close());
  return gate;
}

/** Repeats a request while no endpoint can be reached, such as while a cluster starts. */
async function surely<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof StoreError) || !["unknownOutcome", "unavailable"].includes(error.code)) throw error;
    }
  }
}

const put = async (store: Store, key: string, value: string): Promise<Revision> =>
  (await surely(() => store.txn({ compare: [], then: [{ kind: "put", key, value: Buffer.from(value) }] }))).revision;

async function puts(store: Store, count: number): Promise<Revision> {
  let last = 0;
  for (let n = 0; n < count; n += 1) last = await put(store, "/k", `${n}`);
  return last;
}

/** Stops all members, runs an action for each, and starts them again. */
async function betweenLives({ members }: EtcdProcesses, act: (member: EtcdProcesses["members"][number]) => void) {
  await Promise.all(members.map((member) => member.kill()));
  for (const member of members) act(member);
  await Promise.all(members.map((member) => member.start()));
}

const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "answered",
    ({ code }: StoreError) => code,
  );

describe.each([
  ["direct", 1],
  ["direct", 3],
  ["grpc-js", 1],
  ["grpc-js", 3],
] as const)("over %s, with %i members", (transport, count) => {
  test(
    "a cluster that is restored: watches end for that reason, and what is asked next is answered from what there is",
    async () => {
      const etcd = await cluster(count);
      const store = await opened(etcd.endpoints, transport);
      const saved = await puts(store, 10);
      await betweenLives(etcd, (member) => member.save());
      const seen = await new WatchRecorder(store, { ...EVERYTHING, fromRevision: saved }).untilStarted();
      const lost = await puts(store, 10);
      await seen.untilRevision(lost);
      await betweenLives(etcd, (member) => member.restore());
      await seen.until(() => seen.ended !== undefined);
      expect(seen.ended).toMatchObject({ name: "StoreError", code: "restored" });
      const { revision } = await surely(() => store.range({ start: "/k" }));
      expect(revision).toBe(saved);
      expect(await put(store, "/k", "new")).toBe(saved + 1);
      const again = new WatchRecorder(store, { ...EVERYTHING, fromRevision: saved + 1 });
      await again.untilRevision(saved + 1);
      expect(again.lines).toEqual([`${saved + 1} /k=new`]);
    },
    LONG_MS,
  );
});

test(
  "a cluster that was restored and written beyond the observed revision: the same",
  async () => {
    const etcd = await cluster(1);
    const [member] = etcd.members as [EtcdProcesses["members"][number]];
    const gate = await gateTo(member.endpoint);
    const store = await opened([gate.endpoint]);
    const direct = await opened(etcd.endpoints);
    const saved = await puts(direct, 5);
    await betweenLives(etcd, () => member.save());
    const seen = await new WatchRecorder(store, { ...EVERYTHING, fromRevision: 1 }).untilStarted();
    const lost = await puts(direct, 10);
    await seen.untilRevision(lost);
    gate.shut();
    await betweenLives(etcd, () => member.restore());
    await codeOf(surely(() => direct.range({ start: "/k" })));
    // The same key is written as often, at the same revisions. Only the content differs.
    for (let n = 0; n < 20; n += 1) await put(direct, "/k", `other ${n}`);
    expect((await direct.range({ start: "/k" })).revision).toBe(saved + 20);
    gate.open();
    await seen.until(() => seen.ended !== undefined);
    expect(seen.ended).toMatchObject({ code: "restored" });
    expect(seen.lines.some((line) => line.includes("other"))).toBe(false);
    expect((await surely(() => store.range({ start: "/k" }))).items[0]?.value.toString()).toBe("other 19");
  },
  LONG_MS,
);

test(
  "calls are told so, when they are the first to ask",
  async () => {
    const etcd = await cluster(1);
    const store = await opened(etcd.endpoints);
    const saved = await puts(store, 5);
    await betweenLives(etcd, (member) => member.save());
    await puts(store, 5);
    await betweenLives(etcd, (member) => member.restore());
    const write = () => store.txn({ compare: [], then: [{ kind: "put", key: "/refused", value: Buffer.from("1") }] });
    expect(await codeOf(surely(write))).toBe("restored");
    // The write was not executed.
    const { count, revision } = await surely(() => store.range({ start: "/refused" }));
    expect([count, revision]).toEqual([0, saved]);
    await surely(write);
  },
  LONG_MS,
);

describe("cases that are not a restore", () => {
  test(
    "members that were stopped and go on, with nothing written meanwhile",
    async () => {
      const etcd = await cluster(1);
      const store = await opened(etcd.endpoints);
      const seen = await new WatchRecorder(store, EVERYTHING).untilStarted();
      await puts(store, 5);
      const removed = await store.txn({ compare: [], then: [{ kind: "delete", start: "/k" }] });
      await seen.untilRevision(removed.revision);
      await betweenLives(etcd, () => {});
      const last = await put(store, "/k", "on");
      await seen.untilRevision(last);
      expect(seen.ended).toBeUndefined();
      expect(seen.lines).toHaveLength(7);
    },
    LONG_MS,
  );

  test(
    "history that was compacted meanwhile",
    async () => {
      const etcd = await cluster(1);
      const gate = await gateTo(etcd.endpoints[0] as string);
      const store = await opened([gate.endpoint]);
      const direct = await opened(etcd.endpoints);
      await puts(store, 5);
      const seen = await new WatchRecorder(store, EVERYTHING).untilStarted();
      await seen.untilRevision(await put(store, "/k", "seen"));
      gate.shut();
      await direct.compact(await puts(direct, 5));
      gate.open();
      await seen.until(() => seen.ended !== undefined);
      expect(seen.ended).toMatchObject({ code: "compacted" });
      expect(await codeOf(surely(() => store.range({ start: "/k" })))).toBe("answered");
    },
    LONG_MS,
  );

  test(
    "a follower that lags behind what was seen elsewhere",
    async () => {
      const etcd = await cluster(3);
      const gates = await Promise.all(etcd.endpoints.map(gateTo));
      const store = await opened(gates.map(({ endpoint }) => endpoint));
      const direct = await opened(etcd.endpoints);
      const first = await put(direct, "/k", "first");
      const seen = await new WatchRecorder(store, { ...EVERYTHING, fromRevision: first }).untilStarted();
      let last = 0;
      for (const [index, member] of etcd.members.entries()) {
        // The member does not receive the following writes. Then it is the only reachable one.
        member.freeze();
        const others = await opened(etcd.endpoints.filter((endpoint) => endpoint !== member.endpoint));
        await surely(() => others.range({ start: "/k" }));
        last = await puts(others, 50);
        await seen.untilRevision(last);
        for (const gate of gates) gate.shut();
        gates[index]?.open();
        member.thaw();
        expect((await surely(() => store.range({ start: "/k" }))).revision).toBeGreaterThanOrEqual(last);
        for (const gate of gates) gate.open();
      }
      expect(seen.ended).toBeUndefined();
      const revisions = seen.events.map((event) => (event.kind === "put" ? event.item.modRevision : 0));
      expect(revisions).toEqual(Array.from({ length: last - first + 1 }, (_, n) => first + n));
    },
    LONG_MS,
  );

  test(
    "one endpoint that leads elsewhere, as long as another one has the history",
    async () => {
      const clusters = [await cluster(1), await cluster(1)];
      const gates = await Promise.all(clusters.map(({ endpoints }) => gateTo(endpoints[0] as string)));
      const writers = await Promise.all(clusters.map(({ endpoints }) => opened(endpoints)));
      const store = await opened(gates.map(({ endpoint }) => endpoint));
      const seen = await new WatchRecorder(store, { ...EVERYTHING, fromRevision: 1 }).untilStarted();
      await Promise.all(writers.map((writer, at) => put(writer, `/of-${at}`, "1")));
      await seen.until(() => seen.lines.length > 0);
      // Determine the endpoint in use. The other one is next when it is cut off.
      const mine = seen.lines[0]?.includes("/of-0") ? 0 : 1;
      for (let round = 0; round < 3; round += 1) {
        gates[mine]?.shut();
        gates[mine]?.open();
        await seen.untilRevision(await put(writers[mine] as Store, `/of-${mine}`, `${round}`));
      }
      expect(seen.ended).toBeUndefined();
      expect(seen.lines.every((line) => line.includes(`/of-${mine}`))).toBe(true);
    },
    LONG_MS,
  );
});
