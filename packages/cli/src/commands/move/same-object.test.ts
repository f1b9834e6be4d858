import { expect, test } from "@jest/globals";
import { hasAllOf } from "./same-object";

test.each<[string, object, object, boolean]>([
  ["equal objects", { a: 1, b: [{ c: "x" }] }, { a: 1, b: [{ c: "x" }] }, true],
  ["defaults of the target", { a: 1, b: { c: 2, d: 3 } }, { b: { c: 2 } }, true],
  ["another value", { b: { c: 2 } }, { b: { c: 3 } }, false],
  ["a missing value", { b: {} }, { b: { c: 3 } }, false],
  ["an empty value that is missing", { b: {} }, { b: { c: false, d: "", e: null, f: {} } }, true],
  ["a longer list", { b: [1, 2] }, { b: [1] }, false],
  ["an empty list that is missing", {}, { b: [] }, true],
  ["another status", { status: { a: 1 } }, { status: { a: 2 } }, true],
])("%s", (_, existing, wanted, isSame) => {
  expect(hasAllOf(existing as never, wanted as never)).toBe(isSame);
});
