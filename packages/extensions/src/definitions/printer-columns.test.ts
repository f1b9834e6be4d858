import { expect, test } from "@jest/globals";
import { columnDefinitions } from "@orch/machinery";
import { printerColumns } from "./printer-columns";

const SIZE = { name: "Size", type: "integer", jsonPath: ".spec.size" };

test.each([
  ["orch", undefined, ["Name string", "Created At date"]],
  ["orch", [], ["Name string", "Created At date"]],
  ["kubernetes", undefined, ["Name string", "Age date"]],
  ["kubernetes", [], ["Name string", "Age date"]],
  ["orch", [SIZE], ["Name string", "Size integer"]],
  ["kubernetes", [SIZE], ["Name string", "Size integer"]],
] as const)("in the vocabulary %s the columns %j are shown as %j", (vocabulary, declared, shown) => {
  const columns = columnDefinitions(printerColumns(declared, vocabulary));
  expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(shown);
});
