import { expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import type { EventText } from "../text/event-json";
import { Batches, type BatchOptions } from "./batches";
import { webhookSender } from "./webhook";

const text = (name: string, bytes = name.length): EventText => ({ pieces: [name], bytes });
const turns = async (): Promise<void> => {
  for (let at = 0; at < 20; at += 1) await Promise.resolve();
};

function bench(options: Partial<BatchOptions> = {}, answer: () => Promise<void> = async () => {}) {
  const clock = new ManualClock();
  const sent: string[][] = [];
  const batches = new Batches(
    { waitingMax: 100, batchMax: 3, waitMs: 1000, parallel: 1, ...options },
    {
      clock,
      send(batch) {
        sent.push(batch.map(({ pieces }) => String(pieces[0])));
        return answer();
      },
    },
  );
  const add = (...names: string[]) => names.map((name) => batches.add(text(name)));
  return { clock, sent, batches, add };
}

test("a batch goes when it is full, or when its first event has waited long enough", async () => {
  const { clock, sent, add } = bench();
  add("a", "b", "c", "d");
  await turns();
  expect(sent).toEqual([["a", "b", "c"]]);
  clock.advance(1000);
  await turns();
  expect(sent).toEqual([["a", "b", "c"], ["d"]]);
});

test("a batch that would have too many bytes is cut", async () => {
  const { clock, sent, batches } = bench({ batchMax: 10, batchMaxBytes: 100 });
  for (const name of ["a", "b", "c"]) batches.add(text(name, 60));
  clock.advance(1000);
  await turns();
  clock.advance(1000);
  await turns();
  expect(sent.slice(0, 2)).toEqual([["a"], ["b"]]);
});

test("more than may wait are refused, in number and in bytes", async () => {
  const { add } = bench({ waitingMax: 2 }, () => new Promise(() => {}));
  expect(add("a", "b", "c", "d")).toEqual([true, true, false, false]);
  const other = bench({ waitingMax: 1000, batchMax: 1000 });
  const large = Array.from({ length: 10 }, () => other.batches.add(text("x", 10 * 1024 * 1024)));
  expect(large.filter(Boolean)).toHaveLength(6);
});

test("batches go no more often than they may", async () => {
  const { clock, sent, add } = bench({ batchMax: 1, rate: { perSecond: 1, burst: 2 } });
  add("a", "b", "c", "d");
  await turns();
  expect(sent).toHaveLength(2);
  clock.advance(1000);
  await turns();
  expect(sent).toHaveLength(3);
});

test("at the end all goes at once; what there is no time for is told", async () => {
  const { sent, batches, add } = bench({ rate: { perSecond: 0.01, burst: 1 } });
  add("a", "b", "c", "d", "e");
  expect(await batches.close(1000)).toBe(0);
  expect(sent.flat()).toEqual(["a", "b", "c", "d", "e"]);
  expect(add("late")).toEqual([false]);

  const stuck = bench({}, () => new Promise(() => {}));
  stuck.add("a", "b", "c", "d");
  await turns();
  const closing = stuck.batches.close(1000);
  stuck.clock.advance(1000);
  expect(await closing).toBe(1);
});

test("a webhook is sent the same list again after growing pauses, a few times", async () => {
  const clock = new ManualClock();
  const bodies: string[] = [];
  let failing = true;
  const send = webhookSender(
    { apiVersion: "audit.orch.io/v1", firstBackoffMs: 100 },
    {
      clock,
      chance: () => 0,
      client: () => ({
        postJson(body) {
          bodies.push(Buffer.from(body).toString());
          return failing ? Promise.reject(new Error("away")) : Promise.resolve("");
        },
      }),
    },
  );
  const events = [text('{"a":1}'), { pieces: ['{"b":', Buffer.from("2"), "}"], bytes: 7 }];
  const signal = new AbortController().signal;
  const lost = send(events, signal).catch((error: Error) => error.message);
  for (const [at, waitMs] of [100, 150, 225, 337.5].entries()) {
    await turns();
    expect(bodies).toHaveLength(at + 1);
    clock.advance(waitMs);
  }
  expect(await lost).toBe("away");
  expect(bodies).toHaveLength(5);
  expect(JSON.parse(bodies[0] as string)).toEqual({
    kind: "EventList",
    apiVersion: "audit.orch.io/v1",
    metadata: {},
    items: [{ a: 1 }, { b: 2 }],
  });
  failing = false;
  await send(events, signal);
  expect(bodies[5]).toBe(bodies[0]);
});
