import { expect, test } from "@jest/globals";
import type { InFlightControl } from "@orch/flow-control";
import type { Connection } from "@orch/http-server";
import { ServerMetrics } from "@orch/observability";
import { type ApiRequest, type ApiResponse, type Middleware, RequestContext, type RequestInfo } from "@orch/request";
import { inFlight } from "./in-flight-control";

const metrics = new ServerMetrics({ disabled: [], process: false, release: "1.23", showHidden: false, warn() {} });

interface Counted extends InFlightControl {
  inWork: number;
}

/** @param waits admits after a delay, as a queue does */
function control({ waits = false } = {}): Counted {
  const counted: Counted = {
    countsWatches: false,
    inWork: 0,
    admit() {
      counted.inWork += 1;
      const leave = () => {
        counted.inWork -= 1;
      };
      return waits ? { whenSettled: (settled) => void Promise.resolve().then(() => settled(leave)) } : leave;
    },
    start() {},
    close() {},
  };
  return counted;
}

const OF_OBJECT = { kind: "item", verb: "get", path: "/api/v1/pods/a", longRunning: false } as RequestInfo;

function step(of: InFlightControl, handler: Middleware, info = OF_OBJECT) {
  const context = new RequestContext(undefined as never, undefined as unknown as Connection);
  context.info = info;
  const request = { context, method: "GET" } as ApiRequest;
  const run = () => inFlight({ inFlight: of, metrics }, handler)(request, { req: request } as ApiResponse, () => {});
  return { context, run };
}

test.each<[string, Middleware]>([
  ["answers at once", () => {}],
  [
    "fails at once",
    () => {
      throw new Error("no");
    },
  ],
  ["answers later", async () => {}],
  ["fails later", () => Promise.reject(new Error("no"))],
])("a handler that %s has its place until it is done", async (_what, handler) => {
  for (const waits of [false, true]) {
    const counted = control({ waits });
    let during = 0;
    const { run } = step(counted, (...of) => {
      during = counted.inWork;
      return handler(...of);
    });
    await Promise.resolve()
      .then(run)
      .catch(() => {});
    expect([during, counted.inWork]).toEqual([1, 0]);
  }
});

test("a place may be given back before the handler is done, and is not given back twice", async () => {
  const counted = control();
  let finish = (): void => {};
  const { context, run } = step(counted, () => new Promise((resolve) => (finish = resolve)));
  const running = run();
  context.leaveWork();
  expect(counted.inWork).toBe(0);
  finish();
  await running;
  expect(counted.inWork).toBe(0);
});

test("a request canceled in the queue is not executed", async () => {
  const counted = control({ waits: true });
  let worked = false;
  const { context, run } = step(counted, () => {
    worked = true;
  });
  const running = run();
  context.end.abort();
  await running;
  expect([worked, counted.inWork]).toEqual([false, 0]);
});

const probe = (path: string) => ({ kind: "path", verb: "get", path, longRunning: false }) as RequestInfo;

test.each<[string, RequestInfo]>([
  ["/readyz", probe("/readyz")],
  ["/livez/ping", probe("/livez/ping")],
  ["/healthz", probe("/healthz")],
  ["a watch", { ...OF_OBJECT, longRunning: true } as RequestInfo],
])("%s takes no place", (_what, info) => {
  const counted = control();
  let during = -1;
  const look = () => {
    during = counted.inWork;
  };
  step(counted, look, info).run();
  expect(during).toBe(0);
});
