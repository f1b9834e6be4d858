import { expect, test } from "@jest/globals";
import { fileName } from "./archive-form";

test.each([
  ["web-1.a", "web-1.a"],
  ["system:node", "system%3Anode"],
  ["Edit", "%45dit"],
  ["..", "%2E."],
  ["a/b", "a%2Fb"],
])("%s is the file %s", (name, file) => {
  expect(fileName(name)).toBe(file);
});

test("long names are short files, different for each name", () => {
  const names = ["a", "b"].map((end) => fileName(`${"x".repeat(253)}${end}`));
  expect(names.map(({ length }) => length < 240)).toEqual([true, true]);
  expect(new Set(names).size).toBe(2);
});
