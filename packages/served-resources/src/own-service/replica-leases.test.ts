import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openStore, type Store, StoreError } from "@orch/store";
import { ReplicaLeases } from "./replica-leases";

const ADDRESS = "192.0.2.7";
const KEY = `/registry/masterleases/${ADDRESS}`;
let store: Store;
let leases: ReplicaLeases;

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  leases = new ReplicaLeases(store, "/registry", ADDRESS);
});
afterEach(() => store.close());

const away = () => Promise.reject(new StoreError("unavailable", "nobody there"));

test("a replica is alive once it has said so, and not after it has given up", async () => {
  await leases.renew();
  await leases.renew();
  expect(await leases.alive()).toEqual([ADDRESS]);
  // Renewing a lease writes no key.
  expect((await store.range({ start: KEY })).items).toMatchObject([{ version: 1 }]);
  await leases.giveUp();
  expect(await leases.alive()).toEqual([]);
});

test("one whose first word was lost says it again", async () => {
  const { txn } = store;
  store.txn = away;
  await expect(leases.renew()).rejects.toMatchObject({ code: "unavailable" });
  store.txn = txn;
  await leases.renew();
  expect(await leases.alive()).toEqual([ADDRESS]);
});

test.each<[string, (lease: number) => Promise<unknown>]>([
  ["lost its key", () => store.txn({ compare: [], then: [{ kind: "delete", start: KEY }] })],
  ["lost its lease", (lease) => store.revokeLease(lease)],
  [
    "been brought back to a state with a lease of a former life",
    async () => {
      const former = await store.grantLease(60);
      await store.txn({ compare: [], then: [{ kind: "put", key: KEY, value: Buffer.from("{}"), lease: former }] });
    },
  ],
])("when the store has %s, the next word brings it back", async (_what, lose) => {
  await leases.renew();
  const [before] = (await store.range({ start: KEY })).items;
  await lose(before?.lease ?? 0);
  await leases.renew();
  const [after] = (await store.range({ start: KEY })).items;
  expect(await leases.alive()).toEqual([ADDRESS]);
  expect(await store.keepLeaseAlive(after?.lease ?? 0)).toBe(15);
});
