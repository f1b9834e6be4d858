import { beforeEach, describe, expect, test } from "@jest/globals";
import { openStore, type Store, StoreError } from "@orch/store";
import { ManualClock } from "@orch/testing";
import type { ResourceStorage } from "../contract/resource-storage";
import { delivered, readTexts, startRegistry, watching, writing } from "../testing/harness";
import { recolor } from "../testing/sample";
import { widget, widgets } from "../testing/widgets";
import { SharedLeases } from "./shared-leases";

/** Grants leases 1, 2, 3, … and records their durations. */
class Grants {
  readonly seconds: number[] = [];
  failing = false;
  async grantLease(ttlSeconds: number): Promise<number> {
    if (this.failing) throw new StoreError("unavailable", "no leader");
    return this.seconds.push(ttlSeconds);
  }
}

describe("a shared lease", () => {
  let grants: Grants;
  let clock: ManualClock;
  let leases: SharedLeases;
  beforeEach(() => {
    grants = new Grants();
    clock = new ManualClock();
    leases = new SharedLeases({ store: grants, clock });
  });

  const take = (lifetime: number) => leases.hold(lifetime, async (lease) => lease);

  test("serves all who come within a minute, and lasts that much longer", async () => {
    expect(await Promise.all([take(3600), take(3600)])).toEqual([1, 1]);
    clock.advance(59_000);
    expect(await take(3600)).toBe(1);
    clock.advance(1_000);
    expect(await take(3600)).toBe(2);
    expect(grants.seconds).toEqual([3660, 3660]);
  });

  test.each([7_200_000, -3_600_000])("takes objects on for its minute when the date is set by %d ms", async (byMs) => {
    await take(3600);
    clock.step(byMs);
    clock.advance(59_000);
    expect(await take(3600)).toBe(1);
    clock.advance(1_000);
    expect(await take(3600)).toBe(2);
  });

  test("takes a thousand objects", async () => {
    for (let count = 0; count < 1000; count += 1) await take(3600);
    expect(await take(3600)).toBe(2);
  });

  test.each([
    [600, 30],
    [40, 2],
    [5, 1],
  ])("a lease with a lifetime of %i seconds is shared for %i", async (lifetime, sharedFor) => {
    await take(lifetime);
    clock.advance(sharedFor * 1000 - 1);
    await take(lifetime);
    clock.advance(1);
    await take(lifetime);
    expect(grants.seconds).toEqual([lifetime + sharedFor, lifetime + sharedFor]);
  });

  test("that was not granted is asked for again by the next", async () => {
    grants.failing = true;
    await expect(take(60)).rejects.toMatchObject({ code: "unavailable" });
    grants.failing = false;
    expect(await take(60)).toBe(1);
  });

  test("that the store has lost is replaced once, however late the last write hears of it", async () => {
    const lost = new StoreError("leaseNotFound", "lease 1 does not exist");
    let fails: (error: Error) => void = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      fails = reject;
    });
    const first = leases.hold(3600, async (lease) => (lease === 1 ? Promise.reject(lost) : lease));
    const second = leases.hold(3600, async (lease) => (lease === 1 ? late : lease));
    expect(await first).toBe(2);
    fails(lost);
    expect(await second).toBe(2);
    expect(await take(3600)).toBe(2);
  });

  test("is of one lifetime", async () => {
    expect([await take(60), await take(61)]).toEqual([1, 2]);
  });
});

describe("objects with a lifetime", () => {
  const at = { namespace: "default", name: "a" };
  let store: Store;
  let storage: ResourceStorage;
  const clock = new ManualClock();
  beforeEach(async () => {
    store = await openStore({ kind: "memory" });
    const { registry } = await startRegistry({ store, clock });
    storage = registry.resource({ ...widgets, lifetimeSeconds: 3600 });
  });
  const leaseOf = async (name: string) => {
    const { items } = await store.range({ start: `/registry/test.example/widgets/default/${name}` });
    return items[0]?.lease;
  };
  const create = (name: string, more = {}) => storage.create(widget(name), { ...at, name: "" }, writing(more));

  test("end with their lease, and watches hear of it", async () => {
    await create("a");
    await create("b");
    const lease = (await leaseOf("a")) ?? 0;
    expect(lease).toBeGreaterThan(0);
    expect(await leaseOf("b")).toBe(lease);
    const watcher = await storage.watch(watching({ changesOnly: true }));
    await store.revokeLease(lease);
    await delivered();
    const { revision } = await store.status();
    expect(await readTexts(watcher, 2)).toEqual([`DELETED a@${revision}`, `DELETED b@${revision}`]);
  });

  test("begin it anew with each change", async () => {
    await create("a");
    const first = await leaseOf("a");
    clock.advance(61_000);
    await recolor(storage, "a", "blue");
    expect(await leaseOf("a")).not.toBe(first);
    clock.advance(61_000);
    const second = await leaseOf("a");
    await storage.patch({ kind: "merge", body: { spec: { color: "green" } } }, at, { ...writing(), noticed: () => {} });
    expect(await leaseOf("a")).not.toBe(second);
  });

  test("cost no lease when nothing is written", async () => {
    let granted = 0;
    const grant = store.grantLease.bind(store);
    store.grantLease = (seconds) => {
      granted += 1;
      return grant(seconds);
    };
    await create("a", { dryRun: true });
    expect(granted).toBe(0);
  });

  test("are written though the store has lost the lease", async () => {
    await create("a");
    await store.revokeLease((await leaseOf("a")) ?? 0);
    await create("b");
    expect(await leaseOf("b")).toBeGreaterThan(0);
  });
});
