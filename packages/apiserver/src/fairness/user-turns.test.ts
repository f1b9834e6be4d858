import { expect, test } from "@jest/globals";
import { ManualClock } from "@orch/testing";
import { UserTurns } from "./user-turns";

/** Each request takes a quarter of a millisecond of the event loop once it goes on. */
function start() {
  const clock = new ManualClock();
  const turns: (() => void)[] = [];
  const through: (() => void)[] = [];
  const order: string[] = [];
  const users = new UserTurns({
    nowMs: () => clock.elapsed(),
    later: (callback) => turns.push(callback),
    whenDone: (callback) => through.push(callback),
    atOnce: 2,
    waitingMs: 1,
  });
  const goesOn = async (user: string): Promise<void> => {
    const turn = users.next(user);
    if (turn !== undefined) await turn;
    order.push(user);
    clock.advance(0.25);
  };
  /** One turn of the event loop. @returns who went on in it */
  const turn = async (): Promise<readonly string[]> => {
    const from = order.length;
    for (const callback of turns.splice(0)) callback();
    await microtasks();
    for (let callback = through.shift(); callback !== undefined; callback = through.shift()) {
      callback();
      await microtasks();
    }
    return order.slice(from);
  };
  return { goesOn, turn, turns, order };
}

async function microtasks(): Promise<void> {
  for (let at = 0; at < 10; at += 1) await Promise.resolve();
}

test("a few requests of each turn of the event loop go on at once, the others a little in each of the next ones", async () => {
  const { goesOn, turn, turns, order } = start();
  for (let at = 0; at < 8; at += 1) void goesOn("flood");
  expect(order).toHaveLength(2);
  expect([(await turn()).length, (await turn()).length]).toEqual([4, 2]);
  // Nobody waits: there is no turn more than needed.
  expect(turns).toHaveLength(0);
  void goesOn("flood");
  expect(order).toHaveLength(9);
});

test("whoever has few requests goes on after one of each other user, however many these have", async () => {
  const { goesOn, turn } = start();
  for (let at = 0; at < 200; at += 1) void goesOn(`flood ${at % 2}`);
  await turn();
  void goesOn("quiet");
  const next = await turn();
  expect(next.indexOf("quiet")).toBeLessThanOrEqual(2);
  expect(next).toHaveLength(4);
});

test("the requests of one user go on in the order in which they came", async () => {
  const { goesOn, turn, order } = start();
  const came: Promise<unknown>[] = [];
  const done: number[] = [];
  for (let at = 0; at < 20; at += 1) came.push(goesOn("ann").then(() => done.push(at)));
  while (order.length < 20) await turn();
  await Promise.all(came);
  expect(done).toEqual(Array.from({ length: 20 }, (_, at) => at));
});
