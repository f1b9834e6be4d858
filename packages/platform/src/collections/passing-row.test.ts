import { expect, test } from "@jest/globals";
import { PassingRow, type RowPlace } from "./passing-row";

test("those that come stand in that order, whoever is taken out between them", () => {
  const row = new PassingRow<number>();
  const places = [0, 1, 2, 3, 4].map((item) => row.add(item));
  for (const at of [2, 0, 4]) expect(row.delete(places[at] as RowPlace<number>)).toBe(true);
  expect([...row]).toEqual([1, 3]);
  expect({ first: row.first?.item, size: row.size }).toEqual({ first: 1, size: 2 });
  row.add(5);
  expect([...row]).toEqual([1, 3, 5]);
});

test("who has been taken out is not taken out again, and is no way to the others", () => {
  const row = new PassingRow<string>();
  const [, middle] = ["a", "b", "c"].map((item) => row.add(item)) as [unknown, RowPlace<string>];
  row.delete(middle);
  expect(row.delete(middle)).toBe(false);
  expect(middle).toMatchObject({ before: undefined, after: undefined });
  expect([...row]).toEqual(["a", "c"]);
});

test("an empty row begins anew", () => {
  const row = new PassingRow<string>();
  row.delete(row.add("a"));
  expect({ all: [...row], first: row.first, size: row.size }).toEqual({ all: [], first: undefined, size: 0 });
  row.add("b");
  expect([...row]).toEqual(["b"]);
});

test("the one that is shown may be taken out", () => {
  const row = new PassingRow<number>();
  const places = [1, 2, 3].map((item) => row.add(item));
  const shown: number[] = [];
  for (const item of row) {
    shown.push(item);
    row.delete(places[item - 1] as RowPlace<number>);
  }
  expect(shown).toEqual([1, 2, 3]);
  expect(row.size).toBe(0);
});
