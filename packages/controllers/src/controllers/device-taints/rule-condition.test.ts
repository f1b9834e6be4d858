import { expect, test } from "@jest/globals";
import type { TaintRule } from "./eviction-times";
import { nextCondition, type RuleFacts, updateDelayMs } from "./rule-condition";

const NOW = Date.parse("2030-01-01T00:00:00Z");
const TIME = "2030-01-01T00:00:00Z";
const rule = (effect: string, conditions: readonly object[] = []): TaintRule =>
  ({
    metadata: { name: "r", uid: "u", generation: 2 },
    spec: { taint: { key: "k", effect } },
    status: { conditions },
  }) as unknown as TaintRule;
const none: RuleFacts = { pending: [], devices: undefined, evicted: 0 };
const WOULD = "if the effect was NoExecute. This information will not be updated again.";
const AGAIN = "Recreate the DeviceTaintRule to trigger an update.";

test.each<[string, string, Partial<RuleFacts>, readonly string[]]>([
  ["no pod uses its devices", "NoExecute", {}, ["False", "NotStarted", ""]],
  [
    "a pod is to leave",
    "NoExecute",
    { pending: ["a"] },
    ["True", "PodsPendingEviction", "1 pod needs to be evicted in 1 namespace."],
  ],
  [
    "pods are to leave, and one has left",
    "NoExecute",
    { pending: ["a", "b", "a"], evicted: 1 },
    [
      "True",
      "PodsPendingEviction",
      "3 pods need to be evicted in 2 different namespaces. 1 pod evicted since starting the controller.",
    ],
  ],
  [
    "all pods have left",
    "NoExecute",
    { evicted: 2 },
    ["False", "Completed", "2 pods evicted since starting the controller."],
  ],
  [
    "it only keeps pods away",
    "NoSchedule",
    {},
    ["False", "OtherEffect", "Eviction only happens for the NoExecute effect."],
  ],
  [
    "it has no effect",
    "None",
    { pending: ["a"], devices: { published: 3, allocated: 1 } },
    [
      "False",
      "NoEffect",
      `3 published devices selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace ${WOULD} ${AGAIN}`,
    ],
  ],
  [
    "it has no effect on anything",
    "None",
    { devices: { published: 0, allocated: 0 } },
    [
      "False",
      "NoEffect",
      `0 published devices selected. 0 allocated devices selected. 0 pods would be evicted in 0 different namespaces ${WOULD} ${AGAIN}`,
    ],
  ],
])("the condition of a rule tells that %s", (_, effect, facts, [status, reason, message]) => {
  const condition = nextCondition(rule(effect), { ...none, ...facts }, NOW);
  expect(condition).toEqual({
    ...{ type: "EvictionInProgress", status, reason, message },
    observedGeneration: 2,
    lastTransitionTime: TIME,
  });
  expect(nextCondition(rule(effect, condition && [condition]), { ...none, ...facts }, NOW + 60_000)).toBeUndefined();
});

test.each<[string, object | undefined, number]>([
  ["without a condition at once", undefined, 0],
  ["of another generation at once", { observedGeneration: 1, lastTransitionTime: TIME }, 0],
  ["that was updated just now after the period", { observedGeneration: 2, lastTransitionTime: TIME }, 10_000],
  [
    "that was updated some seconds ago after the rest of the period",
    { observedGeneration: 2, lastTransitionTime: "2029-12-31T23:59:57Z" },
    7_000,
  ],
  ["that was updated long ago at once", { observedGeneration: 2, lastTransitionTime: "2029-12-31T23:59:00Z" }, 0],
])("a rule %s may be updated", (_, condition, expected) => {
  const conditions = condition === undefined ? [] : [{ type: "EvictionInProgress", ...condition }];
  expect(updateDelayMs(rule("NoExecute", conditions), NOW)).toBe(expected);
});
