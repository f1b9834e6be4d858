import { expect, test } from "@jest/globals";
import { RecentMap } from "./recent-map";

test("the least recently used entry is evicted first", () => {
  const map = new RecentMap<string, number>(3);
  for (const [value, key] of ["a", "b", "c"].entries()) map.set(key, value);
  expect(map.get("a")).toBe(0);
  map.set("d", 3);
  expect(["a", "b", "c", "d"].map((key) => map.get(key))).toEqual([0, undefined, 2, 3]);
});

test("a key has its last value, and room for no more than one", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  expect(map.size).toBe(2);
  expect(map.get("a")).toBe(3);
  map.delete("a");
  expect([map.size, map.get("a")]).toEqual([1, undefined]);
});

test("ten thousand keys leave as many as there is room for", () => {
  const map = new RecentMap<number, number>(100);
  for (let key = 0; key < 10_000; key += 1) map.set(key, key);
  expect(map.size).toBe(100);
  expect(map.get(9_899)).toBeUndefined();
  expect(map.get(9_900)).toBe(9_900);
});
