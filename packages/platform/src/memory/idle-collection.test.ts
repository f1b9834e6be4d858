import { expect, test } from "@jest/globals";
import { ManualClock, runInProcess } from "@orch/testing";
import { collectGarbageWhenIdle } from "./idle-collection";

const MEBIBYTE = 1024 * 1024;

/** A process with `live` bytes and garbage added by the test. */
function processOf({ live }: { readonly live: number }) {
  const clock = new ManualClock();
  const state = { garbage: 0, busy: 0, keptByCollections: 0, collections: [] as number[] };
  const cancel = collectGarbageWhenIdle({
    clock,
    busyShare: () => state.busy,
    memory: {
      used: () => live + state.garbage,
      async collect() {
        state.collections.push(clock.elapsed());
        state.garbage = state.keptByCollections;
      },
    },
  });
  /** Lets collections resolve in between. */
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1000);
      await new Promise(setImmediate);
    }
  };
  return { clock, state, cancel, pass };
}

test("garbage of a busy time is collected at the next quiet check, and once more when it released memory", async () => {
  const { state, pass } = processOf({ live: 50 * MEBIBYTE });
  Object.assign(state, { garbage: 100 * MEBIBYTE, busy: 0.5 });
  await pass(35);
  expect(state.collections).toEqual([]);
  state.busy = 0;
  await pass(60);
  expect(state.collections).toEqual([40_000, 45_000]);
});

test("little is left alone, and much beside what there is", async () => {
  const { state, pass } = processOf({ live: 1000 * MEBIBYTE });
  await pass(20);
  const before = state.collections.length;
  state.garbage = 90 * MEBIBYTE;
  await pass(60);
  expect(state.collections.length).toBe(before);
  state.garbage = 110 * MEBIBYTE;
  await pass(5);
  expect(state.collections.length).toBe(before + 1);
});

test("called off it looks no more", async () => {
  const { clock, state, cancel, pass } = processOf({ live: 0 });
  state.garbage = 100 * MEBIBYTE;
  cancel();
  await pass(60);
  expect(state.collections).toEqual([]);
  expect(clock.waiting).toBe(0);
});

const COLLECTS_GARBAGE = `
  const { collectGarbageWhenIdle } = require("./idle-collection");
  process.on("warning", ({ message }) => console.log("warning:", message));
  const garbage = new WeakRef(Array.from({ length: 1_000_000 }, () => ({})));
  setInterval(() => {
    if (garbage.deref() !== undefined) return;
    console.log("freed");
    process.exit();
  }, 100);
  const clock = { after: (_delayMs, callback) => setTimeout(callback, 10) };
  collectGarbageWhenIdle({ clock, busyShare: () => 0 });
`;

test("the run time's own collection frees what is garbage, and no warning is given", async () => {
  const { stdout } = runInProcess(__dirname, COLLECTS_GARBAGE);
  const said: string[] = [];
  for await (const text of stdout as NodeJS.ReadableStream) said.push(String(text));
  expect(said.join("")).toBe("freed\n");
});
