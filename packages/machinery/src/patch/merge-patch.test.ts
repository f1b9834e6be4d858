import { expect, test } from "@jest/globals";
import type { JsonValue } from "@orch/schema";
import { applyMergePatch } from "./merge-patch";

test.each<[JsonValue, JsonValue, JsonValue]>([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("RFC 7386: %j with %j is %j", (target, patch, expected) => {
  const before = structuredClone(target);
  expect(applyMergePatch(target, patch)).toEqual(expected);
  expect(target).toEqual(before);
});

test("a patch does not reach the prototype", () => {
  const patch = JSON.parse('{"__proto__":{"polluted":true},"toString":{"a":1}}') as JsonValue;
  const result = applyMergePatch({}, patch) as Record<string, unknown>;
  expect(result["polluted"]).toBeUndefined();
  expect(Object.hasOwn(result, "toString")).toBe(true);
});
