// Concurrency of several controllers.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { section } from "@orch/machinery";
import { ManualClock } from "@orch/testing";
import { type Controller, type ControllerOptions, defineController } from "../framework/controller";
import { ControllerStates } from "./controller-states";
import { runBesideServer } from "./run-beside-server";
import { runControllers } from "./run-controllers";
import { changedRelease } from "./served-release";

const log = { info() {}, warn() {}, error() {} };

let server: Server;
let minor: string;
let connection: {
  readonly server: string;
  readonly tls: object;
  readonly credentials: object;
  readonly namespace: string;
};

beforeEach(async () => {
  minor = "20";
  const answers: Readonly<Record<string, () => object>> = {
    "/version": () => ({ major: "1", minor }),
    "/apis/batch": () => ({ versions: [{ version: "v1" }, { version: "v1beta1" }] }),
    "/apis/batch/v1": () => ({ resources: [{ name: "jobs" }] }),
    "/apis/batch/v1beta1": () => ({ resources: [{ name: "cronjobs" }] }),
  };
  server = createServer((request, response) => {
    const answer = answers[request.url ?? ""];
    const body = answer?.() ?? { kind: "Status", status: "Failure", code: 404, reason: "NotFound" };
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  connection = {
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tls: {},
    credentials: {},
    namespace: "default",
  };
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function controller(name: string, run: (options: ControllerOptions, signal: AbortSignal) => Promise<void>): Controller {
  return defineController({
    name,
    alias: `${name}-controller`,
    does: "something",
    flags: section("Controllers", { [`${name}-size`]: { type: "int", default: "3", help: "" } } as const),
    run: (_context, options, signal) => run(options, signal),
  });
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));

test("a failing controller stops the others before the error is reported", async () => {
  const ended: string[] = [];
  const states = new ControllerStates(["steady", "frail"]);
  let fail = () => {};
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const controllers = [
    controller("steady", async (_options, signal) => {
      await untilAborted(signal);
      await Promise.resolve();
      ended.push("steady");
    }),
    controller("frail", async () => {
      await new Promise<void>((resolve) => {
        fail = resolve;
        begin();
      });
      throw new Error("no more");
    }),
  ];
  const { signal } = new AbortController();
  const running = runControllers({ connection, vocabulary: "orch", log, controllers, states }, signal);
  await begun;
  expect([...states.all()].map(([, { kind }]) => kind)).toEqual(["working", "working"]);
  fail();
  await expect(running).rejects.toThrow("no more");
  expect(ended).toEqual(["steady"]);
  expect([...states.all()]).toEqual([
    ["steady", { kind: "waiting" }],
    ["frail", { kind: "failed", why: "Error: no more" }],
  ]);
});

describe("with the server's release and resources", () => {
  test("a controller without served resources is disabled and logs it", async () => {
    const begun: string[] = [];
    const of = (name: string, more: Partial<Controller>): Controller => ({
      ...controller(name, async () => void begun.push(name)),
      ...more,
    });
    const told: unknown[] = [];
    const noting = { ...log, info: (message: string, fields?: object) => void told.push([message, fields]) };
    const controllers = [
      of("plain", {}),
      of("jobs", { needs: { group: "batch", resource: "jobs" } }),
      of("cron-jobs", { needs: { group: "batch", resource: "cronjobs" } }),
      of("sets", { needs: { group: "apps", resource: "replicasets" } }),
      of("pods", { needs: { group: "batch", resource: "pods" } }),
      of("present", { since: "1.36" }),
      of("late", { since: "1.37" }),
      of("gated", { gate: "DRAResourcePoolStatus" }),
      of("switched-on", { gate: "DRADeviceTaintRules" }),
      of("on-by-default", { gate: "AnyVolumeDataSource" }),
    ];
    minor = "36";
    const gates = { DRADeviceTaintRules: true, "kube:Other": true };
    const given = { options: { "feature-gates": gates } as never };
    const options = { connection, vocabulary: "orch" as const, log: noting, controllers, ...given };
    await runControllers(options, new AbortController().signal);
    expect(begun.sort()).toEqual(["cron-jobs", "jobs", "on-by-default", "plain", "present", "switched-on"]);
    const off = "a controller is disabled: the server does not serve its resources";
    expect(told).toHaveLength(5);
    expect(told).toEqual(
      expect.arrayContaining([
        [off, { duty: "sets", lacks: "replicasets.apps" }],
        [off, { duty: "pods", lacks: "pods.batch" }],
        [off, { duty: "late", lacks: "release 1.37" }],
        [off, { duty: "gated", lacks: "feature gate DRAResourcePoolStatus" }],
      ]),
    );
  });
});

test("another release is seen, and a server that does not answer is the same still", async () => {
  const clock = new ManualClock();
  const answers = [undefined, "20", "nonsense", "21"];
  const getJson = async () => {
    const minor = answers.shift();
    if (minor === undefined) throw new Error("no answer");
    return { major: "1", minor };
  };
  const changed = changedRelease({ clock, getJson }, "1.20", new AbortController().signal);
  await clock.pass(119_000);
  expect(answers).toEqual(["21"]);
  await clock.pass(1_000);
  expect(await changed).toBe("1.21");
});

test("each is given its own options, and their defaults", async () => {
  const seen: ControllerOptions[] = [];
  const note = async (options: ControllerOptions) => void seen.push(options);
  const controllers = [controller("one", note), controller("other", note)];
  const options = { "one-size": 5, elsewhere: "x" };
  await runControllers({ connection, vocabulary: "orch", log, controllers, options }, new AbortController().signal);
  expect(seen).toEqual([{ "one-size": 5 }, { "other-size": 3 }]);
});

test("beside a server, controllers that fail are started again, until the server stops", async () => {
  const stop = new AbortController();
  const errors: string[] = [];
  let starts = 0;
  const failing = controller("one", async () => {
    starts += 1;
    if (starts === 1) throw new Error("the first start fails");
    stop.abort(new Error("the server stops"));
  });
  const noting = { ...log, error: (text: string) => void errors.push(text) };
  await runBesideServer({ connection, vocabulary: "orch", log: noting, controllers: [failing] }, stop.signal);
  expect({ starts, errors }).toEqual({ starts: 2, errors: ["the controllers stopped"] });
});
