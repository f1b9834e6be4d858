import { expect, test } from "@jest/globals";
import type { ReleaseSeat } from "@orch/flow-control";
import type { Connection } from "@orch/http-server";
import type { UserInfo } from "@orch/machinery";
import { ServerMetrics } from "@orch/observability";
import { RequestContext, type RequestInfo } from "@orch/request";
import { InFlightLimits } from "./in-flight-limits";

const metrics = () =>
  new ServerMetrics({ disabled: [], process: false, release: "1.23", showHidden: false, warn() {} });
const limits = (maxReading: number, maxMutating: number) =>
  new InFlightLimits({ maxReading, maxMutating, metrics: metrics() });

const user = (name: string, ...groups: string[]): UserInfo => ({ name, groups });
const ANYBODY = user("system:anonymous", "system:unauthenticated");

function request(of: UserInfo, verb = "get"): RequestContext {
  const context = new RequestContext(undefined as never, undefined as unknown as Connection);
  context.user = of;
  context.info = { kind: "item", verb } as RequestInfo;
  return context;
}

type Limits = ReturnType<typeof limits>;

/** Takes places until one is refused. */
function takeAll(control: Limits, of: UserInfo, verb?: string): ReleaseSeat[] {
  const taken: ReleaseSeat[] = [];
  for (;;) {
    const leave = control.admit(request(of, verb)) as ReleaseSeat | undefined;
    if (leave === undefined || taken.length === 10_000) return taken;
    taken.push(leave);
  }
}

test("one user gets four fifths, and those without credentials a tenth together", () => {
  expect(takeAll(limits(400, 200), user("jane"))).toHaveLength(320);
  expect(takeAll(limits(400, 200), ANYBODY)).toHaveLength(40);
});

test("however many users take what they can get, there is a place for the next, and for who can repair it", () => {
  const control = limits(400, 200);
  let taken = 0;
  for (let at = 0; at < 30; at += 1) {
    const own = takeAll(control, user(`user-${at}`)).length;
    expect(own).toBeGreaterThan(0);
    taken += own;
    if (taken === 400) break;
  }
  expect(takeAll(control, user("operator", "system:masters")).length).toBeGreaterThan(400);
});

test("reading and mutating requests have places of their own", () => {
  const control = limits(10, 5);
  expect(takeAll(control, user("jane"))).toHaveLength(8);
  expect(takeAll(control, user("jane"), "delete")).toHaveLength(4);
});

test("a place that is given back can be had again, and nothing is left of a user who has gone", () => {
  const control = limits(10, 5);
  for (let round = 0; round < 100; round += 1) {
    const taken = takeAll(control, user(`user-${round}`));
    expect(taken).toHaveLength(8);
    for (const leave of taken) leave();
  }
});

test("one place is enough for one request at a time", () => {
  const control = limits(1, 1);
  const [leave] = takeAll(control, user("jane"));
  expect(takeAll(control, user("joe"))).toHaveLength(0);
  leave?.();
  expect(takeAll(control, ANYBODY)).toHaveLength(1);
});

test("no limit is none", () => expect(takeAll(limits(0, 0), ANYBODY)).toHaveLength(10_000));
