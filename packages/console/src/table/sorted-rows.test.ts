import { describe, expect, test } from "@jest/globals";
import type { Column, Row } from "./row";
import { orderBy, type SortKey, textFilter } from "./row-order";
import { SortedRows } from "./sorted-rows";

const COLUMNS: readonly Column[] = [
  { name: "Name", type: "string" },
  { name: "Data", type: "integer" },
  { name: "Age", type: "string" },
];

const row = (name: string, data: number | string = 0, created = "2026-01-01T00:00:00Z"): Row => ({
  key: `uid-${name}`,
  name,
  namespace: "a",
  created,
  createdAt: Date.parse(created),
  isDeleting: false,
  cells: [name, data, "1d"],
});

const rowsOf = (key?: SortKey, filter = "") => new SortedRows(orderBy(key, COLUMNS), textFilter(filter));
const namesOf = (rows: SortedRows) => rows.slice(0, rows.length).map(({ name }) => name);

describe("sorted rows", () => {
  test("are in the order of names, whatever order they come in", () => {
    const rows = rowsOf();
    rows.put([row("c"), row("a")]);
    rows.put([row("b")]);
    expect(namesOf(rows)).toEqual(["a", "b", "c"]);
  });

  test("move when the value of their column changes, and stay where it does not", () => {
    const rows = rowsOf({ column: 1, isDescending: true });
    rows.put([row("a", 1), row("b", 2), row("c", "10")]);
    expect(namesOf(rows)).toEqual(["c", "b", "a"]);
    rows.put([row("a", 11)]);
    expect(namesOf(rows)).toEqual(["a", "c", "b"]);
    rows.put([{ ...row("b", 2), isDeleting: true }]);
    expect(rows.at(2)?.isDeleting).toBe(true);
    expect(rows.total).toBe(3);
  });

  test("with an age have the youngest first", () => {
    const rows = rowsOf({ column: 2, isDescending: false });
    rows.put([row("old", 0, "2025-01-01T00:00:00Z"), row("young", 0, "2026-01-01T00:00:00Z")]);
    expect(namesOf(rows)).toEqual(["young", "old"]);
  });

  test("that the filter leaves out are counted, and come back with a change", () => {
    const rows = rowsOf(undefined, "ready A");
    rows.put([row("a", "Pending"), row("b", "Ready")]);
    expect([namesOf(rows), rows.total]).toEqual([["b"], 2]);
    rows.put([row("a", "Ready")]);
    expect(namesOf(rows)).toEqual(["a", "b"]);
    rows.put([row("b", "Failed")]);
    expect(namesOf(rows)).toEqual(["a"]);
    rows.rearrange(orderBy(undefined, COLUMNS), textFilter(""));
    expect(namesOf(rows)).toEqual(["a", "b"]);
  });

  test("are found by their key, and removed one by one or many at once", () => {
    const rows = rowsOf();
    rows.put(Array.from({ length: 100 }, (_, index) => row(`n${String(index).padStart(3, "0")}`)));
    expect(rows.indexOf("uid-n042")).toBe(42);
    rows.remove(["uid-n000", "uid-unknown"]);
    expect([rows.length, rows.indexOf("uid-n042"), rows.indexOf("uid-n000")]).toEqual([99, 41, -1]);
    rows.retain(new Set(["uid-n042", "uid-n050"]));
    expect(namesOf(rows)).toEqual(["n042", "n050"]);
  });

  test("stay in order through random changes of any number", () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % below;
    };
    const rows = rowsOf({ column: 1, isDescending: false });
    const expected = new Map<string, Row>();
    for (let round = 0; round < 200; round += 1) {
      const changed = Array.from({ length: 1 + random(60) }, () => row(`n${random(300)}`, random(50)));
      rows.put(changed);
      for (const each of changed) expected.set(each.key, each);
      const gone = Array.from({ length: random(50) }, () => `uid-n${random(300)}`);
      rows.remove(gone);
      for (const key of gone) expected.delete(key);
    }
    const sorted = [...expected.values()].sort(orderBy({ column: 1, isDescending: false }, COLUMNS));
    expect(namesOf(rows)).toEqual(sorted.map(({ name }) => name));
  });
});
