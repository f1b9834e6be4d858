import { expect, test } from "@jest/globals";
import { type ContentState, conditionsFor } from "./namespace-conditions";

const EMPTY: ContentState = { discoveryErrors: [], deletionErrors: [], remaining: new Map(), finalizers: new Map() };
const NOON = Date.parse("2024-05-01T12:00:00Z");

test("conditions list remaining content sorted, and successful steps", () => {
  const remaining = new Map([
    ["pods.", 2],
    ["deployments.apps", 1],
  ]);
  const conditions = conditionsFor({ ...EMPTY, remaining, deletionErrors: ["b", "a"] }, [], NOON) ?? [];
  const byType = Object.fromEntries(
    conditions.map(({ type, status, reason, message }) => [type, [status, reason, message]]),
  );
  expect(byType["NamespaceContentRemaining"]).toEqual([
    "True",
    "SomeResourcesRemain",
    "Some resources are remaining: deployments.apps has 1 resource instances, pods. has 2 resource instances",
  ]);
  expect(byType["NamespaceDeletionContentFailure"]).toEqual([
    "True",
    "ContentDeletionFailed",
    "Failed to delete all resource types, 2 remaining: a, b",
  ]);
  expect(byType["NamespaceFinalizersRemaining"]?.[0]).toBe("False");
});

test("nothing is written twice, and a condition's time is that of its last change of status", () => {
  const before = conditionsFor({ ...EMPTY, remaining: new Map([["pods.", 2]]) }, [], NOON) ?? [];
  expect(conditionsFor({ ...EMPTY, remaining: new Map([["pods.", 2]]) }, before, NOON + 5000)).toBeUndefined();
  const fewer = conditionsFor({ ...EMPTY, remaining: new Map([["pods.", 1]]) }, before, NOON + 5000) ?? [];
  const timeOf = (conditions: typeof before) =>
    conditions.find(({ type }) => type === "NamespaceContentRemaining")?.lastTransitionTime;
  expect(timeOf(fewer)).toBe("2024-05-01T12:00:00Z");
  expect(timeOf(conditionsFor(EMPTY, fewer, NOON + 5000) ?? [])).toBe("2024-05-01T12:00:05Z");
});

test("conditions of others are kept", () => {
  const foreign = { type: "Foreign", status: "True" };
  expect(conditionsFor(EMPTY, [foreign], NOON)?.[0]).toEqual(foreign);
});
