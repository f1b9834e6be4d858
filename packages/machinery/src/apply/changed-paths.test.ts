import { expect, test } from "@jest/globals";
import type { JsonObject } from "@orch/schema";
import { changedPaths } from "./changed-paths";
import { map, NUMBER, objectWith, struct, TEXT, versionsOf } from "./testing/sample-types";

const VERSIONS = versionsOf({ v1: objectWith(struct({ replicas: NUMBER, labels: map(TEXT) })) });
const object = (spec: JsonObject): JsonObject => ({ apiVersion: "v1", kind: "Sample", metadata: { name: "a" }, spec });
const between = (old: JsonObject | undefined, next: JsonObject) =>
  changedPaths(VERSIONS, "v1", { old: old && object(old), next: object(next) });

test("written and removed fields are reported by path", () => {
  const old = { replicas: 1, labels: { gone: "1", kept: "1", other: "1" } };
  expect(between(old, { replicas: 2, labels: { kept: "1", other: "2" } })).toEqual({
    paths: [".spec.replicas", ".spec.labels.gone", ".spec.labels.other"],
    more: 0,
  });
});

test("a write that changes nothing changes no field", () => {
  expect(between({ replicas: 1 }, { replicas: 1 })).toEqual({ paths: [], more: 0 });
});

test("all fields of a new object are reported", () => {
  expect(between(undefined, { replicas: 1 }).paths).toEqual([".spec", ".spec.replicas"]);
});

test("the reported changes are bounded, with the number of the others", () => {
  const labels = (count: number, key: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${key}${at}`, "x"]));
  const many = between({ labels: {} }, { labels: labels(1000, "k") });
  expect(many.paths.length + many.more).toBe(1000);
  expect(many.paths.length).toBeLessThanOrEqual(100);
  const long = between({ labels: {} }, { labels: labels(50, "k".repeat(1000)) });
  expect(long.paths.join("").length).toBeLessThanOrEqual(8192);
  expect(long.paths.length + long.more).toBe(50);
});
