// How several duties run beside one another. None of these speaks to a server.
import { expect, test } from "@jest/globals";
import { section } from "@orch/machinery";
import { type Duty, type DutyOptions, defineDuty } from "./duty";
import { DutyStates } from "./duty-states";
import { runDuties } from "./run-duties";

const log = { info() {}, warn() {}, error() {} };
const connection = { server: "https://127.0.0.1:1", tls: {}, credentials: {}, namespace: "default" };

function duty(name: string, run: (options: DutyOptions, signal: AbortSignal) => Promise<void>): Duty {
  return defineDuty({
    name,
    alias: `${name}-controller`,
    does: "something",
    flags: section("Duties", { [`${name}-size`]: { type: "int", default: "3", help: "" } } as const),
    run: (_context, options, signal) => run(options, signal),
  });
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

test("a duty that fails ends the others before it is told", async () => {
  const ended: string[] = [];
  const states = new DutyStates(["steady", "frail"]);
  let fail = () => {};
  const duties = [
    duty("steady", async (_options, signal) => {
      await untilAborted(signal);
      await Promise.resolve();
      ended.push("steady");
    }),
    duty("frail", async () => {
      await new Promise<void>((resolve) => {
        fail = resolve;
      });
      throw new Error("no more");
    }),
  ];
  const { signal } = new AbortController();
  const running = runDuties({ connection, vocabulary: "orch", log, duties, states }, signal);
  expect([...states.all()].map(([, { kind }]) => kind)).toEqual(["working", "working"]);
  fail();
  await expect(running).rejects.toThrow("no more");
  expect(ended).toEqual(["steady"]);
  expect([...states.all()]).toEqual([
    ["steady", { kind: "waiting" }],
    ["frail", { kind: "failed", why: "Error: no more" }],
  ]);
});

test("each is given its own options, and their defaults", async () => {
  const seen: DutyOptions[] = [];
  const note = async (options: DutyOptions) => void seen.push(options);
  const duties = [duty("one", note), duty("other", note)];
  const options = { "one-size": 5, elsewhere: "x" };
  await runDuties({ connection, vocabulary: "orch", log, duties, options }, new AbortController().signal);
  expect(seen).toEqual([{ "one-size": 5 }, { "other-size": 3 }]);
});
