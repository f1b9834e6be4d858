import { expect, test } from "@jest/globals";
import { openStore } from "@orch/store";
import { LaggingStore } from "../testing/lagging-store";
import { RevisionReader } from "./revision-reader";

/** Returns a store whose reads end when the test says so. */
async function slowStore() {
  const store = new LaggingStore(await openStore({ kind: "memory" }));
  const reads: { end(revision: number): void; fail(): void }[] = [];
  const slow = Object.assign(store, {
    range: () =>
      new Promise((resolve, reject) => {
        reads.push({
          end: (revision) => resolve({ revision, items: [], count: 0, more: false }),
          fail: () => reject(new Error("lost")),
        });
      }),
  });
  return { reader: new RevisionReader(slow as LaggingStore), reads };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("calls during a read share the result of the next one", async () => {
  const { reader, reads } = await slowStore();
  const first = reader.read();
  const later = [reader.read(), reader.read(), reader.read()];
  await turn();
  expect(reads.length).toBe(1);
  reads[0]?.end(10);
  expect(await first).toBe(10);
  await turn();
  expect(reads.length).toBe(2);
  const third = reader.read();
  reads[1]?.end(20);
  expect(await Promise.all(later)).toEqual([20, 20, 20]);
  await turn();
  reads[2]?.end(30);
  expect(await third).toBe(30);
  const fourth = reader.read();
  reads[3]?.end(40);
  expect(await fourth).toBe(40);
});

test("a read that fails fails those who waited for it, and the next one is tried", async () => {
  const { reader, reads } = await slowStore();
  const first = reader.read();
  const second = reader.read();
  reads[0]?.fail();
  await expect(first).rejects.toThrow("lost");
  await turn();
  reads[1]?.end(5);
  expect(await second).toBe(5);
});
