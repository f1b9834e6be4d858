import { describe, expect, test } from "@jest/globals";
import { vocabularyOf } from "@orch/schema";
import { isFollowedLongEnough, tokenAction } from "./token-action";

const vocabulary = vocabularyOf("kubernetes");
const DAY_MS = 86_400_000;
const times = { nowMs: Date.parse("2026-06-15T12:00:00Z"), periodMs: 365 * DAY_MS };
const USED = "kubernetes.io/legacy-token-last-used";
const INVALID = "kubernetes.io/legacy-token-invalid-since";
const OLD = "2025-06-15T11:59:59Z";

describe("a token", () => {
  test.each<[string, object, string]>([
    ["that was made within the period", { creationTimestamp: "2025-06-15T12:00:00Z" }, "keep"],
    ["of which nobody knows when it was made", {}, "keep"],
    ["that is being deleted", { creationTimestamp: OLD, deletionTimestamp: "2026-06-15T00:00:00Z" }, "keep"],
    ["that was never used", { creationTimestamp: OLD }, "markInvalid"],
    [
      "that was used on the first day of the period",
      { creationTimestamp: OLD, labels: { [USED]: "2025-06-15" } },
      "keep",
    ],
    ["that was used the day before", { creationTimestamp: OLD, labels: { [USED]: "2025-06-14" } }, "markInvalid"],
    ["whose day of use is none", { creationTimestamp: OLD, labels: { [USED]: "2025-02-30" } }, "keep"],
    ["whose mark says no day", { creationTimestamp: OLD, labels: { [INVALID]: "true" } }, "markInvalid"],
    ["that was marked within the period", { creationTimestamp: OLD, labels: { [INVALID]: "2025-06-15" } }, "keep"],
    ["that was marked before", { creationTimestamp: OLD, labels: { [INVALID]: "2025-06-14" } }, "delete"],
    [
      "that was marked before and tried since",
      { creationTimestamp: OLD, labels: { [INVALID]: "2025-06-14", [USED]: "2026-01-01" } },
      "keep",
    ],
  ])("%s", (_what, metadata, fate) => {
    expect(tokenAction({ metadata } as never, times, vocabulary)).toBe(fate);
  });
});

test.each([
  ["2025-06-14", true],
  ["2025-06-15", false],
  ["yesterday", false],
  ["2025-6-1", false],
  [undefined, false],
])("uses that are followed since %s are known for the whole period: %s", (since, isLong) => {
  expect(isFollowedLongEnough(since, times)).toBe(isLong);
});
