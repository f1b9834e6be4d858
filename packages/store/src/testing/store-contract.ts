// The contract of every store, run by each driver's tests. Tests may share a store, so every test uses keys of its own
// and computes revisions from the answers.

import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Store, StoreError } from "../contract/contract";
import { folder, writing } from "./contract-fixture";
import { describeData } from "./contract-of-data";
import { describeHistory } from "./contract-of-history";
import { WatchRecorder } from "./watch-recorder";

export function describeStoreContract(name: string, open: () => Promise<Store>): void {
  describe(`${name} keeps the store contract`, () => {
    let store: Store;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());
    const { now } = writing(() => store);

    describeData(() => store);
    describeHistory(() => store);

    test("the status tells the revision and the size, and no alarm", async () => {
      const revision = await now();
      const status = await store.status();
      expect(status.revision).toBeGreaterThanOrEqual(revision);
      expect(status.size).toBeGreaterThan(0);
      expect(status.alarms).toEqual([]);
      expect(store.endpoints.length).toBeGreaterThan(0);
      for (const endpoint of store.endpoints) expect(await endpoint.status()).toMatchObject({ alarms: [] });
    });

    test("closing ends watches, refuses further calls, and leaves no call without an outcome", async () => {
      const { key, all } = folder();
      const closing = await open();
      const seen = await new WatchRecorder(closing, all).untilStarted();
      const busy = Array.from({ length: 50 }, (_, i) =>
        closing.txn({ compare: [], then: [{ kind: "put", key: key(`${i}`), value: Buffer.from("1") }] }).then(
          () => "done",
          (error: StoreError) => error.code,
        ),
      );
      await closing.close();
      await closing.close();
      for (const outcome of await Promise.all(busy)) expect(["done", "closed", "unknownOutcome"]).toContain(outcome);
      await seen.until(() => seen.ended !== undefined);
      expect(seen.ended).toMatchObject({ code: "closed" });
      await expect(closing.range(all)).rejects.toMatchObject({ code: "closed" });
      await expect(closing.txn({ compare: [], then: [] })).rejects.toMatchObject({ code: "closed" });
      const late = new WatchRecorder(closing, all);
      await late.until(() => late.ended !== undefined);
      expect(late.ended).toMatchObject({ code: "closed" });
    });
  });
}
