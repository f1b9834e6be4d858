import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { Connection } from "@orch/http-server";
import { type ApiResponse, RequestContext } from "@orch/request";
import { ActiveRequests } from "./active-requests";
import { UnreadAnswers } from "./unread-answers";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A request with a time limit of one second whose answer's headers are sent. */
function answering(writableEnded: boolean) {
  const told: string[] = [];
  const active = new ActiveRequests({
    requestTimeoutMs: 1000,
    unread: new UnreadAnswers(() => told.push("unread")),
    failed: () => told.push("failed"),
    timedOut: () => told.push("timed out"),
    aborted: () => told.push("aborted"),
    longRunning: () => {},
  });
  const connection = { begin: () => told.push("begun"), end() {} } as unknown as Connection;
  const context = new RequestContext(undefined as never, connection);
  const req = { context, readableLength: 0 };
  const response = Object.assign(new EventEmitter(), {
    req,
    headersSent: true,
    writableEnded,
    writableLength: 0,
    destroy: () => told.push("destroyed"),
  });
  active.enter(response as unknown as ApiResponse);
  context.end.place = () => told.push("left work");
  return { active, told, response, end: context.end };
}

test("an answer that has begun and does not end in time is broken off, and counted as that", () => {
  const { active, told, end } = answering(false);
  jest.advanceTimersByTime(900);
  expect([told, end.aborted]).toEqual([["begun"], false]);
  jest.advanceTimersByTime(2000);
  expect([told, end.aborted]).toEqual([["begun", "aborted", "destroyed", "left work"], true]);
  active.close();
});

test("an answer that is whole when its time is over has time to leave", () => {
  const { active, told, response, end } = answering(true);
  jest.advanceTimersByTime(2500);
  expect([told, end.aborted]).toEqual([["begun"], false]);
  response.emit("close");
  jest.advanceTimersByTime(10_000);
  expect(told).toEqual(["begun"]);
  active.close();
});

test("an answer that is whole and does not leave is broken off", () => {
  const { active, told } = answering(true);
  jest.advanceTimersByTime(5000);
  expect(told).toEqual(["begun", "aborted", "destroyed", "left work"]);
  active.close();
});
