import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { systemClock } from "./clock";

const DAY_MS = 86_400_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("a timer of two months fires then, and once", () => {
  let calls = 0;
  systemClock.after(60 * DAY_MS, () => {
    calls += 1;
  });
  jest.advanceTimersByTime(60 * DAY_MS - 1);
  expect(calls).toBe(0);
  jest.advanceTimersByTime(1);
  expect(calls).toBe(1);
  expect(jest.getTimerCount()).toBe(0);
});

test("a timer canceled after a month does not fire", () => {
  const cancel = systemClock.after(60 * DAY_MS, () => {
    throw new Error("called");
  });
  jest.advanceTimersByTime(30 * DAY_MS);
  cancel();
  expect(jest.getTimerCount()).toBe(0);
});
