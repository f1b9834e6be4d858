import { expect, test } from "@jest/globals";
import { textTable } from "./text-table";

test("columns are aligned, cells end in commas, and no cell begins a line", () => {
  const table = textTable([
    ["Name", "Index", "VirtualStart"],
    ["a\nlong name", "1", "0.0000"],
  ]);
  expect(table).toBe("Name,        Index,  VirtualStart\na?long name, 1,      0.0000\n");
});
