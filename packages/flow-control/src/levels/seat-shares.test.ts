import { describe, expect, test } from "@jest/globals";
import { bootstrapFlowControl } from "@orch/apis";
import { vocabularyOf } from "@orch/schema";
import { type LimitedSpec, levelSpecOf } from "../schemas/flow-spec";
import { DemandMeter, type SeatDemand, seatBounds, sharedSeats } from "./seat-shares";

const limited = (shares: number, more: Partial<LimitedSpec> = {}): LimitedSpec => ({
  shares,
  lendablePercent: 0,
  borrowingLimitPercent: undefined,
  queuing: undefined,
  ...more,
});

test("the levels that every server has share 600 seats as in Kubernetes", () => {
  const levels = bootstrapFlowControl(vocabularyOf("orch"), "1.20").priorityLevels.map(({ name, spec }) =>
    levelSpecOf({ metadata: { name }, spec } as never),
  );
  const seats = levels.map(({ name, limited }) => [name, limited && seatBounds(limited, 600, 205).nominal]);
  expect(Object.fromEntries(seats)).toEqual({
    exempt: undefined,
    "catch-all": 15,
    system: 88,
    "leader-election": 30,
    "workload-high": 118,
    "workload-low": 293,
    "global-default": 59,
  });
});

test("a level keeps what it does not lend, and has no more of others' than it may", () => {
  const bounds = seatBounds(limited(50, { lendablePercent: 90, borrowingLimitPercent: 10 }), 100, 100);
  expect(bounds).toEqual({ nominal: 50, least: 5, most: 55 });
});

describe("seats that are lent", () => {
  const level = (nominal: number, least: number, usual: number, most = 1000): SeatDemand => ({
    nominal,
    least,
    most,
    highest: Math.ceil(usual),
    usual,
  });

  test("go to those that want them, and are all given out", () => {
    const { seats } = sharedSeats([level(50, 5, 0), level(50, 5, 200)], 100);
    expect(seats[0]).toBe(5);
    expect(seats[1]).toBe(95);
  });

  test("come back to those that want their own", () => {
    expect(sharedSeats([level(50, 5, 50), level(50, 5, 200)], 100).seats).toEqual([50, 50]);
  });

  test("are borrowed up to the borrower's limit", () => {
    expect(sharedSeats([level(50, 5, 0), level(50, 5, 200, 60)], 100).seats[1]).toBe(60);
  });

  test("are never fewer than what is kept", () => {
    expect(sharedSeats([level(50, 50, 0), level(50, 50, 500)], 100).seats).toEqual([50, 50]);
  });

  test.each([
    ["nothing is left for others", 95, [5, 5]],
    ["half of what is lent is left", 45, [28, 28]],
    ["more is left than is needed", 0, [50, 50]],
  ])("go to exempt requests first: %s", (_what, inExemptUse, seats) => {
    expect(sharedSeats([level(50, 5, 50), level(50, 5, 50)], 100, inExemptUse).seats).toEqual(seats);
  });

  test("are the same multiple of the demand for levels within their bounds", () => {
    const { seats, targets, fairFraction } = sharedSeats([level(50, 5, 10), level(50, 5, 40)], 100);
    expect([seats, targets]).toEqual([
      [20, 80],
      [10, 40],
    ]);
    expect(fairFraction).toBeCloseTo(2);
  });
});

test("demand is believed at once, and forgotten by and by", () => {
  const meter = new DemandMeter(0);
  meter.set(40, 0);
  expect(meter.take(10_000)).toEqual({ highest: 40, usual: 40, average: 40, deviation: 0 });
  meter.set(0, 10_000);
  const { highest, usual } = meter.take(20_000);
  expect(highest).toBe(40);
  expect(usual).toBeLessThan(40);
  expect(usual).toBeGreaterThan(35);
  expect(meter.take(30_000).highest).toBe(0);
});
