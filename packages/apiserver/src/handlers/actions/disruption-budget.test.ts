import { describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { takeDisruption, toleratesUnready } from "./disruption-budget";

const NOW = Date.UTC(2024, 4, 1, 12);

const budget = (status: JsonObject = {}, spec: JsonObject = {}): JsonObject => ({
  metadata: { name: "web", generation: 2 },
  spec,
  status: { observedGeneration: 2, disruptionsAllowed: 2, currentHealthy: 3, desiredHealthy: 1, ...status },
});

const unconfirmed = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [`pod-${nth}`, "2024-05-01T11:00:00Z"]));

test("a disruption is counted and recorded beside the unconfirmed ones", () => {
  const disruptedPods = { a: "2024-05-01T11:00:00Z" };
  expect(takeDisruption(budget({ disruptedPods }), "b", NOW)["status"]).toEqual({
    ...(budget()["status"] as JsonObject),
    disruptionsAllowed: 1,
    disruptedPods: { ...disruptedPods, b: "2024-05-01T12:00:00Z" },
  });
});

test("the last disruption takes the condition with it that more are allowed", () => {
  const other = { type: "Other", status: "True" };
  const said = {
    type: "DisruptionAllowed",
    status: "True",
    reason: "SufficientPods",
    message: "",
    observedGeneration: 2,
    lastTransitionTime: "2024-05-01T11:00:00Z",
  };
  const conditionsAfter = (disruptionsAllowed: number) => {
    const { status } = takeDisruption(budget({ disruptionsAllowed, conditions: [other, said] }), "b", NOW);
    return (status as JsonObject)["conditions"];
  };
  expect(conditionsAfter(2)).toEqual([other, said]);
  expect(conditionsAfter(1)).toEqual([
    other,
    { ...said, status: "False", reason: "InsufficientPods", lastTransitionTime: "2024-05-01T12:00:00Z" },
  ]);
});

test.each<[string, JsonObject, number, string]>([
  ["is behind", { observedGeneration: 1 }, 429, "Cannot evict pod as it would violate the pod's disruption budget."],
  ["was never made", { observedGeneration: null }, 429, "Cannot evict pod"],
  ["allows none", { disruptionsAllowed: 0 }, 429, "Cannot evict pod"],
  ["allows less than none", { disruptionsAllowed: -1 }, 403, 'poddisruptionbudget.policy "web" is forbidden'],
  ["notes too many", { disruptedPods: unconfirmed(2001) }, 403, 'poddisruptionbudget.policy "web" is forbidden'],
])("a budget whose status %s lets nothing go", (_what, status, code, text) => {
  let refusal: unknown;
  try {
    takeDisruption(budget(status), "b", NOW);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toMatchObject({ code, message: expect.stringContaining(text) });
});

test("the maximum number of unconfirmed disruptions is accepted", () => {
  const taken = takeDisruption(budget({ disruptedPods: unconfirmed(2000) }), "b", NOW);
  expect(taken["status"]).toMatchObject({ disruptionsAllowed: 1 });
});

describe("an unready pod", () => {
  test.each<[string, JsonObject, boolean]>([
    ["goes while enough are healthy", budget(), true],
    ["stays while too few are", budget({ currentHealthy: 0 }), false],
    ["stays where none need be", budget({ desiredHealthy: 0 }), false],
    [
      "goes where the budget says so",
      budget({ currentHealthy: 0 }, { unhealthyPodEvictionPolicy: "AlwaysAllow" }),
      true,
    ],
  ])("%s", (_what, of, spared) => expect(toleratesUnready(of)).toBe(spared));
});
