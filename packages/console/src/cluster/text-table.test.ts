import { expect, test } from "@jest/globals";
import { textTableIn } from "./text-table";

test("cells stand below the names of their columns", () => {
  const text = ["Level,  User,    Count", "exempt, <none>,  <none>", "low,    a, b,    12", ""].join("\n");
  expect(textTableIn(text)).toEqual([
    { Level: "exempt", User: "<none>", Count: "<none>" },
    { Level: "low", User: "a, b", Count: "12" },
  ]);
});

test("rows are bounded, and a text without rows has none", () => {
  expect(textTableIn(`A\n${"1\n".repeat(50)}`, 10)).toHaveLength(10);
  expect(textTableIn("")).toEqual([]);
  expect(textTableIn("A, B")).toEqual([]);
});
