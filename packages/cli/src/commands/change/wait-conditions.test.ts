import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { waitCondition } from "./wait-conditions";

const POD: JsonObject = {
  metadata: { generation: 2 },
  status: {
    phase: "Running",
    conditions: [
      { type: "Ready", status: "True" },
      { type: "Old", status: "True", observedGeneration: 1 },
    ],
  },
};

test.each([
  ["condition=Ready", true],
  ["condition=ready", true],
  ["condition=Ready=false", false],
  ["condition=Ready=TRUE", true],
  ["condition=Old", false],
  ["condition=Gone", false],
  ["jsonpath={.status.phase}=Running", true],
  ["jsonpath=.status.phase=Running", true],
  ["jsonpath=status.phase=Pending", false],
  ["jsonpath={.status.phase}", true],
  ["jsonpath={.status.none}", false],
  ['jsonpath={.status.conditions[?(@.type=="Ready")].status}=True', true],
])("%s of a ready pod is %s", (text, met) => {
  const condition = waitCondition(text);
  expect(condition.kind === "object" && condition.isMet(POD)).toBe(met);
});

test("a status of an older generation does not count", () => {
  const condition = waitCondition("condition=Ready");
  const status = { observedGeneration: 1, conditions: [{ type: "Ready", status: "True" }] };
  expect(condition.kind === "object" && condition.isMet({ metadata: { generation: 2 }, status })).toBe(false);
});

test.each(["ready", "jsonpath=", "jsonpath={.a}=", "jsonpath={.a"])("%s is refused", (text) => {
  expect(() => waitCondition(text)).toThrow();
});
