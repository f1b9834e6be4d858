import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { MetricSet } from "./metric-set";

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test("what has ended does not begin to measure its process any more", () => {
  const set = new MetricSet();
  set.measureProcess();
  expect(jest.getTimerCount()).toBe(1);
  set.close();
  expect(jest.getTimerCount()).toBe(0);
});
