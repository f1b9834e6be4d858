import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { holdOf } from "./removal";

const going = (metadata: JsonObject, status: JsonObject = {}): JsonObject => ({
  metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", ...metadata },
  status,
});

test.each<[string, JsonObject, string | undefined]>([
  ["a finalizer", going({ finalizers: ["a/b"] }), "finalizers a/b must be removed by their controllers"],
  ["dependents", going({ finalizers: ["foregroundDeletion"] }), "its dependents are deleted first"],
  ["a grace period", going({ deletionGracePeriodSeconds: 30 }), "it has 30 s to stop"],
  [
    "a namespace that has objects",
    going(
      {},
      {
        conditions: [{ type: "NamespaceContentRemaining", status: "True", message: "pods. has 2 resource instances" }],
      },
    ),
    "pods. has 2 resource instances",
  ],
  ["no deletion", { metadata: {} }, "it is not being deleted"],
  ["nothing", going({}), undefined],
  [
    "control characters",
    going({ finalizers: ["a\u001b[2J"] }),
    "finalizers a\\x1b[2J must be removed by their controllers",
  ],
])("the reason of a wait is told: %s", (_, object, text) => {
  expect(holdOf(object)).toBe(text);
});
