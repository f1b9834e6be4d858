import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { LeaseTable } from "./lease-table";

const HOUR_MS = 3_600_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

test.each([2 * HOUR_MS, -HOUR_MS])("a lease ends after its time when the date is set by %d ms", (byMs) => {
  const ended: number[] = [];
  const table = new LeaseTable((lease) => {
    ended.push(lease);
    table.end(lease);
  });
  table.grant(1, 60);
  table.grant(2, 120);
  jest.setSystemTime(Date.now() + byMs);
  jest.advanceTimersByTime(59_000);
  expect(ended).toEqual([]);
  jest.advanceTimersByTime(2_000);
  expect(ended).toEqual([1]);
  expect(table.keepAlive(2)).toBe(120);
  jest.advanceTimersByTime(118_000);
  expect(ended).toEqual([1]);
  jest.advanceTimersByTime(3_000);
  expect(ended).toEqual([1, 2]);
});
