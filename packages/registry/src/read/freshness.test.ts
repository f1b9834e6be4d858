import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { NEVER_ENDS } from "@orch/platform";
import { openStore, type Store } from "@orch/store";
import type { Registry, ResourceStorage } from "../registry";
import { startRegistry } from "../testing/harness";
import { createOne } from "../testing/sample";
import { widgets } from "../testing/widgets";

let store: Store;
let registry: Registry;
let storage: ResourceStorage;
const at = { namespace: "default", name: "a" };

beforeEach(async () => {
  store = await openStore({ kind: "memory" });
  ({ registry } = await startRegistry({ store }));
  storage = registry.resource(widgets);
  await createOne(storage, "a");
});

afterEach(async () => {
  await registry.close();
  await store.close();
});

test("a read that has waited with others for the store's revision goes on when it is its turn", async () => {
  let begin = (): void => {};
  const asked = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let goOn = (): void => {};
  const turn = (): Promise<void> => {
    begin();
    return new Promise((resolve) => {
      goOn = resolve;
    });
  };
  let isAnswered = false;
  const read = storage.get(at, { kind: "mostRecent" }, { signal: { ...NEVER_ENDS, turn } }).then((entry) => {
    isAnswered = true;
    return entry.name;
  });
  await asked;
  // What does not wait for others is answered before it.
  await storage.get(at, { kind: "any" }, { signal: { ...NEVER_ENDS, turn: () => Promise.reject(new Error("asked")) } });
  expect(isAnswered).toBe(false);
  goOn();
  expect(await read).toBe("a");
});
