import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { Connection } from "../http/connection";
import { ActiveRequests } from "./active-requests";
import type { ApiResponse } from "./request-context";
import { RequestContext } from "./request-context";
import { UnreadAnswers } from "./unread-answers";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test("an answer that has begun and does not end in time is broken off, and counted as that", () => {
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
    writableLength: 0,
    destroy: () => told.push("destroyed"),
  });
  active.enter(response as unknown as ApiResponse);
  context.end.place = () => told.push("left work");
  jest.advanceTimersByTime(900);
  expect([told, context.end.aborted]).toEqual([["begun"], false]);
  jest.advanceTimersByTime(2000);
  expect([told, context.end.aborted]).toEqual([["begun", "aborted", "destroyed", "left work"], true]);
  active.close();
});
