import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { KeepAlive } from "./keep-alive";
import { PING_INTERVAL_MS, PING_TIMEOUT_MS } from "./transport";

const HOUR_MS = 3_600_000;

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Returns a connection whose peer answers pings while `answers` is true. */
function connection() {
  const seen = { pings: 0, silences: 0, isDead: false, answers: true };
  const keepAlive = new KeepAlive({
    ping(answered) {
      seen.pings += 1;
      if (seen.answers) answered();
    },
    silent() {
      seen.silences += 1;
    },
    dead() {
      seen.isDead = true;
    },
  });
  return { seen, keepAlive };
}

test.each([2 * HOUR_MS, -HOUR_MS])("pings go on at their pace when the date is set by %d ms", (byMs) => {
  const { seen, keepAlive } = connection();
  keepAlive.callBegins();
  jest.setSystemTime(Date.now() + byMs);
  jest.advanceTimersByTime(500);
  expect([seen.pings, seen.silences]).toEqual([0, 0]);
  keepAlive.callEnds();
  jest.advanceTimersByTime(4 * PING_INTERVAL_MS);
  expect(seen.pings).toBeGreaterThanOrEqual(3);
  expect(seen.isDead).toBe(false);
  keepAlive.stop();
});

test("a connection that answers no ping is dead after its time, whatever the date says", () => {
  const { seen } = connection();
  seen.answers = false;
  jest.setSystemTime(Date.now() - HOUR_MS);
  jest.advanceTimersByTime(PING_INTERVAL_MS + PING_TIMEOUT_MS + 1_000);
  expect(seen.isDead).toBe(true);
});
