import { describe, expect, test } from "@jest/globals";
import { type coreV1, timeText } from "@orch/schema";
import {
  asksForScale,
  type Budget,
  type BudgetStatus,
  countedStatus,
  desiredHealthy,
  evictionsOf,
  safeStatus,
  UncountableError,
} from "./budget-status";

const NOW = Date.parse("2030-01-01T00:10:00Z");
const agoText = (seconds: number) => timeText(NOW - seconds * 1_000);

function budget(spec: Budget["spec"], status?: Partial<BudgetStatus>): Budget {
  return { metadata: { name: "b", namespace: "shop", generation: 3 }, ...(spec && { spec }), status } as Budget;
}

const pod = (name: string, state: "ready" | "unready" | "ending" = "ready"): coreV1.Pod =>
  ({
    metadata: { name, ...(state === "ending" && { deletionTimestamp: agoText(1) }) },
    ...(state !== "unready" && { status: { conditions: [{ type: "Ready", status: "True" }] } }),
  }) as coreV1.Pod;

const pods = (count: number) => Array.from({ length: count }, (_, at) => pod(`p${at}`));

describe("the amount of a budget", () => {
  test.each<[string, Budget["spec"], number, { readonly asks: boolean; readonly desired: number }]>([
    ["a number that must stay", { minAvailable: 2 }, 5, { asks: false, desired: 2 }],
    ["a share that must stay, rounded up", { minAvailable: "50%" }, 5, { asks: true, desired: 3 }],
    ["all", { minAvailable: "100%" }, 5, { asks: true, desired: 5 }],
    ["a number that may be missing", { maxUnavailable: 2 }, 5, { asks: true, desired: 3 }],
    ["more that may be missing than there are", { maxUnavailable: 9 }, 5, { asks: true, desired: 0 }],
    ["a share that may be missing, rounded up", { maxUnavailable: "30%" }, 5, { asks: true, desired: 3 }],
    ["none that may be missing", { maxUnavailable: "0%" }, 5, { asks: true, desired: 5 }],
    ["nothing", {}, 0, { asks: false, desired: 0 }],
  ])("%s", (_what, spec, expected, { asks, desired }) => {
    expect(asksForScale(budget(spec))).toBe(asks);
    expect(desiredHealthy(budget(spec), expected)).toBe(desired);
  });

  test("must be one", () => {
    expect(() => desiredHealthy(budget({ maxUnavailable: "many" }), 5)).toThrow(UncountableError);
  });
});

describe("evictions that were allowed", () => {
  const allowed = { a: agoText(119), b: agoText(120), c: agoText(10), gone: agoText(10), ending: agoText(10) };
  const known = [pod("a"), pod("b"), pod("c", "unready"), pod("ending", "ending"), pod("other")];

  test("are pending for two minutes, as long as their pods are there and do not end", () => {
    const { pending, overdue, overdueAtMs } = evictionsOf(budget({}, { disruptedPods: allowed }), known, NOW);
    expect(pending).toEqual({ a: allowed.a, c: allowed.c });
    expect(overdue).toEqual([pod("b")]);
    expect(overdueAtMs).toBe(NOW + 1_000);
  });

  test("may be none", () => {
    expect(evictionsOf(budget({}), known, NOW)).toEqual({ pending: {}, overdue: [], overdueAtMs: undefined });
  });
});

describe("the status of a budget", () => {
  const by = { hasConditions: false, nowMs: NOW };
  const said = (expectedPods: number, desired: number, currentHealthy: number, disruptionsAllowed: number) => ({
    observedGeneration: 3,
    expectedPods,
    desiredHealthy: desired,
    currentHealthy,
    disruptionsAllowed,
  });
  test.each<[string, Budget["spec"], readonly coreV1.Pod[], number, BudgetStatus]>([
    ["counts the pods that are ready", { minAvailable: 1 }, [pod("a"), pod("b", "unready")], 2, said(2, 1, 1, 0)],
    ["and allows what is beyond those that must be", { minAvailable: 1 }, pods(3), 3, said(3, 1, 3, 2)],
    ["not those that end", { minAvailable: 1 }, [pod("a"), pod("b"), pod("c", "ending")], 3, said(3, 1, 2, 1)],
    ["allows nothing below", { minAvailable: 4 }, pods(3), 3, said(3, 4, 3, 0)],
    ["allows nothing without pods", { minAvailable: 0 }, [], 0, said(0, 0, 0, 0)],
    ["allows nothing of what nobody wants", { maxUnavailable: 1 }, pods(2), 0, said(0, 0, 2, 0)],
    ["goes by what is wanted", { maxUnavailable: 1 }, pods(2), 10, said(10, 9, 2, 0)],
    ["allows nothing without an amount", {}, pods(2), 0, said(0, 0, 2, 0)],
  ])("%s", (_what, spec, of, expected, status) => {
    expect(countedStatus(budget(spec), { pods: of, expected, pending: {} }, by)).toEqual(status);
  });

  test("counts evictions that are pending as done", () => {
    const pending = { p0: agoText(5) };
    expect(countedStatus(budget({ minAvailable: 1 }), { pods: pods(3), expected: 3, pending }, by)).toEqual({
      ...said(3, 1, 2, 1),
      disruptedPods: pending,
    });
  });

  describe("the condition of a budget", () => {
    const condition = (status: "True" | "False", reason: string, ago: number, message = "") => ({
      type: "DisruptionAllowed",
      status,
      observedGeneration: 3,
      lastTransitionTime: agoText(ago),
      reason,
      message,
    });
    const conditionsOf = (before: Budget, minAvailable: number) =>
      countedStatus(
        { ...before, spec: { minAvailable } },
        { pods: pods(2), expected: 2, pending: {} },
        { ...by, hasConditions: true },
      ).conditions;
    const other = { ...condition("True", "Other", 60), type: "Other" };

    test("that is new", () => {
      expect(conditionsOf(budget({}), 1)).toEqual([condition("True", "SufficientPods", 0)]);
      expect(conditionsOf(budget({}, { conditions: [other] }), 2)).toEqual([
        other,
        condition("False", "InsufficientPods", 0),
      ]);
    });

    test("has the time of its last change", () => {
      const before = budget({}, { conditions: [condition("False", "SyncFailed", 60, "why"), other] });
      expect(conditionsOf(before, 2)).toEqual([condition("False", "InsufficientPods", 60), other]);
      expect(conditionsOf(before, 1)).toEqual([condition("True", "SufficientPods", 0), other]);
    });

    test("with unknown counts", () => {
      const before = budget({}, { ...said(5, 3, 5, 2), conditions: [condition("True", "SufficientPods", 60)] });
      expect(safeStatus(before, "why", { ...by, hasConditions: true })).toEqual({
        ...said(5, 3, 5, 0),
        conditions: [condition("False", "SyncFailed", 0, "why")],
      });
    });
  });

  test("a budget with unknown counts allows no disruption and keeps its other values", () => {
    const disruptedPods = { p0: agoText(5) };
    const before = budget({}, { ...said(5, 3, 5, 2), disruptedPods, observedGeneration: 2 });
    expect(safeStatus(before, "why", by)).toEqual({ ...said(5, 3, 5, 0), disruptedPods, observedGeneration: 2 });
    expect(safeStatus(budget({}), "why", by)).toEqual({
      expectedPods: 0,
      desiredHealthy: 0,
      currentHealthy: 0,
      disruptionsAllowed: 0,
    });
  });
});
