// Number of sequential store writes of a first start: each takes the time of a disk sync.

import { expect, test } from "@jest/globals";
import { openStore, type Store } from "@orch/store";
import { startServer } from "../start-server";

/** Counts rounds of writes: writes that are under way together count as one. */
function withSlowWrites(store: Store): { readonly slow: Store; readonly rounds: () => number } {
  let rounds = 0;
  let open = 0;
  const txn: Store["txn"] = async (request) => {
    if (open === 0) rounds += 1;
    open += 1;
    try {
      const answer = await store.txn(request);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return answer;
    } finally {
      open -= 1;
    }
  };
  const slow = new Proxy(store, {
    get(target, name) {
      if (name === "txn") return txn;
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  return { slow, rounds: () => rounds };
}

test("independent objects are written concurrently", async () => {
  const store = await openStore({ kind: "memory" });
  const { slow, rounds } = withSlowWrites(store);
  const server = await startServer({ store: slow });
  expect(rounds()).toBeLessThanOrEqual(6);
  await server.stop();
  await store.close();
});
