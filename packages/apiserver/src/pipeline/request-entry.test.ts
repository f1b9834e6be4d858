import { EventEmitter } from "node:events";
import { expect, test } from "@jest/globals";
import { type Connection, Failures } from "@orch/http-server";
import type { Logger } from "@orch/observability";
import type { ApiRequest, ApiResponse } from "@orch/request";
import { ActiveRequests } from "./active-requests";
import { requestEntry } from "./request-entry";
import { UnreadAnswers } from "./unread-answers";

/** An entry that records the targets of the requests it routes. */
function entry() {
  const begun: string[] = [];
  const failed: string[] = [];
  const nothing = () => {};
  const active = new ActiveRequests({
    requestTimeoutMs: 1000,
    unread: new UnreadAnswers(nothing),
    ...{ failed: nothing, timedOut: nothing, aborted: nothing, longRunning: nothing },
  });
  const connection = { begin() {}, end() {}, abandoned() {} } as unknown as Connection;
  const failures = new Failures({ logger: { error: nothing } as unknown as Logger, count: nothing, now: () => 0 });
  const enter = requestEntry({
    negotiation: undefined as never,
    connections: { of: () => connection } as never,
    active,
    route: failures.guarded(
      ({ context }: ApiRequest, _response: ApiResponse) => {
        begun.push(context.target);
        if (context.target.startsWith("/broken")) throw new Error("it is broken");
      },
      ({ context }) => void failed.push(context.target),
    ),
  });
  const comes = (url: string) => {
    const response = Object.assign(new EventEmitter(), { writableEnded: true });
    enter({ url, method: "GET", httpVersionMajor: 1 } as never, response as never);
    return response;
  };
  return { begun, failed, comes, close: () => active.close() };
}

test("few are worked on as they come; more when all has been read that a turn of the loop brings, in the order in which it came", async () => {
  const { begun, comes, close } = entry();
  for (const url of ["/a", "/b", "/c", "/d"]) comes(url);
  expect(begun).toEqual(["/a", "/b"]);
  await new Promise(setImmediate);
  expect(begun).toEqual(["/a", "/b", "/c", "/d"]);
  close();
});

test("a request whose client has disconnected is not started", async () => {
  const { begun, comes, close } = entry();
  for (const url of ["/a", "/b", "/c"]) comes(url);
  comes("/left").emit("close");
  await new Promise(setImmediate);
  expect(begun).toEqual(["/a", "/b", "/c"]);
  close();
});

test("work that cannot begin keeps no other from beginning", async () => {
  const { begun, failed, comes, close } = entry();
  for (const url of ["/broken-at-once", "/b", "/broken", "/d"]) comes(url);
  await new Promise(setImmediate);
  expect(begun).toEqual(["/broken-at-once", "/b", "/broken", "/d"]);
  expect(failed).toEqual(["/broken-at-once", "/broken"]);
  close();
});
