import { beforeEach, expect, test } from "@jest/globals";
import { FindingSchedule } from "./finding-schedule";
import type { AvailableCondition } from "./registration";

const PASSED: AvailableCondition = { status: "True", reason: "Passed", message: "all checks passed" };
const failed = (message: string): AvailableCondition => ({ status: "False", reason: "FailedDiscoveryCheck", message });
const MINUTE = 60_000;

let nowMs = 0;
let word: FindingSchedule;
beforeEach(() => {
  nowMs = 0;
  word = new FindingSchedule(() => nowMs);
});

test("the first finding is written unless it is present", () => {
  expect(word.isDue("a", PASSED, undefined)).toBe(true);
  expect(word.isDue("b", PASSED, failed("x"))).toBe(true);
  expect(word.isDue("c", PASSED, PASSED)).toBe(false);
});

test("a changed status is written, a changed message alone is not", () => {
  word.isDue("a", PASSED, PASSED);
  expect(word.isDue("a", failed("refused"), PASSED)).toBe(true);
  expect(word.isDue("a", failed("timed out"), failed("refused"))).toBe(false);
  expect(word.isDue("a", PASSED, failed("refused"))).toBe(true);
});

test("replicas that do not agree write ever more seldom", () => {
  const other = new FindingSchedule(() => nowMs);
  let stored: AvailableCondition | undefined;
  let writes = 0;
  const look = (by: FindingSchedule, finding: AvailableCondition) => {
    if (!by.isDue("a", finding, stored)) return;
    stored = finding;
    writes += 1;
  };
  for (; nowMs < 60 * MINUTE; nowMs += 3000) {
    look(word, PASSED);
    look(other, failed("refused"));
  }
  expect(writes).toBeLessThan(16);
});

test("the status of a stopped replica is replaced soon", () => {
  word.isDue("a", PASSED, undefined);
  nowMs += MINUTE / 2;
  expect(word.isDue("a", PASSED, failed("refused"))).toBe(false);
  nowMs += MINUTE / 2;
  expect(word.isDue("a", PASSED, failed("refused"))).toBe(true);
});

test("a condition that is gone is told again", () => {
  word.isDue("a", PASSED, undefined);
  expect(word.isDue("a", PASSED, undefined)).toBe(true);
});
