import { expect, test } from "@jest/globals";
import { tableCells } from "./server-table";

const COLUMNS = [{ name: "Name", format: "name" }, { name: "Age" }];

test.each([
  ["no cells", { cells: null }],
  ["cells left out", {}],
  ["too few cells", { cells: [] }],
])("a row with %s is shown with what it has", (_, row) => {
  const object = { metadata: { namespace: "shop", labels: { app: "web" } } };
  expect(tableCells(COLUMNS, { ...row, object }, { withNamespace: true, labelColumns: ["app"] })).toEqual([
    "shop",
    "web",
  ]);
});
