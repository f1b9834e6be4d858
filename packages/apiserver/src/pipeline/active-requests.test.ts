import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { ActiveRequests } from "./active-requests";
import type { ApiRequest, ApiResponse } from "./request-context";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test("an answer that has begun and does not end in time is broken off, and counted as that", () => {
  const told: string[] = [];
  const active = new ActiveRequests({
    requestTimeoutMs: 1000,
    timedOut: () => told.push("timed out"),
    aborted: () => told.push("aborted"),
    longRunning: () => {},
  });
  const req = { context: { info: { longRunning: false }, receivedAt: performance.now() } };
  const response = Object.assign(new EventEmitter(), {
    req,
    headersSent: true,
    destroy: () => told.push("destroyed"),
  });
  active.step()(req as unknown as ApiRequest, response as unknown as ApiResponse, () => told.push("handled"));
  jest.advanceTimersByTime(900);
  expect(told).toEqual(["handled"]);
  jest.advanceTimersByTime(2000);
  expect(told).toEqual(["handled", "aborted", "destroyed"]);
  active.close();
});
