import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { changedPod, newPod, outcomeOf, podOf } from "../testing/plugin-outcome";
import { defaultTolerationSeconds } from "./default-toleration-seconds";

const NOT_READY = "node.orch.io/not-ready";
const UNREACHABLE = "node.orch.io/unreachable";
const added = (key: string, seconds = 300) => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: seconds,
});
const [FIRST, SECOND] = [added(NOT_READY), added(UNREACHABLE)];

const ROWS: readonly [what: string, own: readonly JsonObject[] | undefined, more: readonly JsonObject[]][] = [
  ["that tolerate nothing", undefined, [FIRST, SECOND]],
  ["with an empty list", [], [FIRST, SECOND]],
  ["that tolerate something else", [{ key: "a", operator: "Exists" }], [FIRST, SECOND]],
  [
    "that do not want to be scheduled there",
    [{ key: NOT_READY, operator: "Exists", effect: "NoSchedule" }],
    [FIRST, SECOND],
  ],
  ["that prefer other nodes", [{ key: UNREACHABLE, operator: "Exists", effect: "PreferNoSchedule" }], [FIRST, SECOND]],
  ["that say how long on one that is not ready", [added(NOT_READY, 10)], [SECOND]],
  ["that say so of every effect", [{ key: NOT_READY, operator: "Exists" }], [SECOND]],
  ["that leave at once", [added(UNREACHABLE, 0)], [FIRST]],
  ["that say so of one value", [{ key: UNREACHABLE, operator: "Equal", value: "v", effect: "NoExecute" }], [FIRST]],
  ["that say both", [added(UNREACHABLE, 1), added(NOT_READY, 2)], []],
  ["that stay for ever", [{ key: NOT_READY, operator: "Exists", effect: "NoExecute" }], [SECOND]],
  ["that stay on any node", [{ operator: "Exists" }], []],
  ["that stay on any node by that effect", [{ operator: "Exists", effect: "NoExecute" }], []],
  ["that are scheduled to any node", [{ operator: "Exists", effect: "NoSchedule" }], [FIRST, SECOND]],
  ["with an empty key", [{ key: "", operator: "Exists", effect: "" }], []],
];

test.each(ROWS)("pods %s", async (_what, own, more) => {
  const before = podOf(own && { tolerations: own as JsonObject[] });
  const after = podOf(own === undefined && more.length === 0 ? {} : { tolerations: [...(own ?? []), ...more] });
  expect(await outcomeOf(defaultTolerationSeconds, newPod(before))).toEqual(after);
  expect(await outcomeOf(defaultTolerationSeconds, changedPod(before, before))).toEqual(after);
  // A second run adds nothing.
  expect(await outcomeOf(defaultTolerationSeconds, newPod(after))).toEqual(after);
});

test.each([
  [0, 0],
  [1, 300],
  [86_400, 5],
])("options say for how long: %d and %d", async (notReadyTolerationSeconds, unreachableTolerationSeconds) => {
  const options = { notReadyTolerationSeconds, unreachableTolerationSeconds, isOn: () => true };
  const tolerations = [added(NOT_READY, notReadyTolerationSeconds), added(UNREACHABLE, unreachableTolerationSeconds)];
  expect(await outcomeOf(defaultTolerationSeconds, newPod(podOf()), { dependencies: { options } })).toEqual(
    podOf({ tolerations }),
  );
});

test.each([
  ["parts of pods", newPod(podOf(), { subresource: "status", operation: "UPDATE" })],
  ["bindings", newPod(podOf(), { subresource: "binding" })],
  ["other kinds", { object: podOf() }],
  ["pods without a specification", newPod({ metadata: { name: "p" } })],
])("%s stay as they are", async (_what, parts) => {
  expect(await outcomeOf(defaultTolerationSeconds, parts)).toEqual(parts.object);
});

test("so do all pods while it is off", async () => {
  expect(await outcomeOf(undefined, newPod(podOf()))).toEqual(podOf());
});
