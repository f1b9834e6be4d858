import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { ReservationMarks } from "./reservation-marks";

const KEY = "shop/q";
const quota = (used?: Readonly<Record<string, string>>): JsonObject => ({
  status: { hard: {}, ...(used && { used }) },
});

function marks() {
  let now = 0;
  const made = new ReservationMarks(() => now);
  return {
    made,
    pass: (ms: number) => {
      now += ms;
    },
  };
}

test("an increased reservation is awaited up to its amount", () => {
  const { made } = marks();
  made.seen(KEY, quota({ pods: "1", services: "1" }), quota({ pods: "2", services: "1" }), 10);
  expect([9, 10, 11].map((upTo) => made.isCovered(KEY, "pods", upTo))).toEqual([false, true, true]);
  expect(made.isCovered(KEY, "services", 1)).toBe(true);
  expect(made.isCovered("shop/other", "pods", 1)).toBe(true);
  made.seen(KEY, quota({ pods: "2" }), quota({ pods: "3" }), 20);
  expect(made.isCovered(KEY, "pods", 19)).toBe(false);
});

test("an unchanged reservation is not awaited", () => {
  const { made } = marks();
  made.seen(KEY, quota({ pods: "5" }), quota({ pods: "4" }), 10);
  made.seen(KEY, quota({ pods: "5" }), quota({ pods: "5" }), 11);
  made.seen(KEY, undefined, quota(), 12);
  made.seen(KEY, undefined, quota({ pods: "0" }), 13);
  expect(made.isCovered(KEY, "pods", 1)).toBe(true);
});

test("all that a quota uses is waited for when it is first seen", () => {
  const { made } = marks();
  made.seen(KEY, undefined, quota({ pods: "5", "requests.cpu": "1m" }), 10);
  expect(["pods", "requests.cpu"].map((name) => made.isCovered(KEY, name, 9))).toEqual([false, false]);
});

test("own writes and unstored values are not awaited", () => {
  const { made, pass } = marks();
  made.seen(KEY, quota({ pods: "1" }), quota({ pods: "2" }), 10);
  made.own(KEY, 10);
  expect(made.isCovered(KEY, "pods", 9)).toBe(true);
  made.seen(KEY, quota({ pods: "2" }), quota({ pods: "9" }), 20);
  made.own(KEY, 19);
  expect(made.isCovered(KEY, "pods", 19)).toBe(false);
  pass(2_001);
  expect(made.isCovered(KEY, "pods", 19)).toBe(true);
});

test("a quota that is gone is forgotten", () => {
  const { made } = marks();
  made.seen(KEY, undefined, quota({ pods: "5" }), 10);
  made.forget(KEY);
  expect(made.isCovered(KEY, "pods", 1)).toBe(true);
});
