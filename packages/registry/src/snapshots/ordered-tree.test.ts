import { describe, expect, test } from "@jest/globals";
import { randomNumbers } from "../testing/random";
import { OrderedTree } from "./ordered-tree";

const key = (n: number) => `k${String(n).padStart(5, "0")}`;

describe("an ordered tree", () => {
  test("is a sorted map under random edits, and its older states stay as they were", () => {
    const random = randomNumbers(7);
    const model = new Map<string, number>();
    let tree = OrderedTree.empty<number>();
    const kept: { tree: OrderedTree<number>; entries: [string, number][] }[] = [];
    for (let step = 0; step < 20_000; step += 1) {
      const k = key(Math.floor(random() * 3_000));
      // Grow first, then shrink, so that splits and merges both happen at every level.
      if (random() < (step < 10_000 ? 0.7 : 0.25)) {
        tree = tree.set(k, step);
        model.set(k, step);
      } else {
        tree = tree.delete(k);
        model.delete(k);
      }
      if (step % 2_500 === 0) kept.push({ tree, entries: sorted(model) });
    }
    kept.push({ tree, entries: sorted(model) });
    for (const { tree: state, entries } of kept) {
      expect(state.size).toBe(entries.length);
      expect(state.slice()).toEqual(entries.map(([, value]) => value));
      entries.forEach(([k, value], position) => {
        if (state.get(k) !== value || state.rank(k) !== position || state.at(position) !== value) {
          throw new Error(`${k} is not at ${position}`);
        }
      });
    }
  });

  test("gives any stretch of positions", () => {
    const keys = Array.from({ length: 1_000 }, (_, n) => key(n));
    const tree = OrderedTree.fromSorted(
      keys,
      keys.map((_, n) => n),
    );
    expect(tree.slice(0, 3)).toEqual([0, 1, 2]);
    expect(tree.slice(499, 502)).toEqual([499, 500, 501]);
    expect(tree.slice(998)).toEqual([998, 999]);
    expect(tree.slice(1_000)).toEqual([]);
    expect(tree.rank("k00500\0")).toBe(501);
    expect(tree.rank("")).toBe(0);
    expect(tree.rank("z")).toBe(1_000);
    expect(tree.at(1_000)).toBeUndefined();
  });

  test("built from sorted keys is the same as built one by one", () => {
    const keys = Array.from({ length: 700 }, (_, n) => key(n));
    let one = OrderedTree.empty<string>();
    for (const k of keys.toReversed()) one = one.set(k, k);
    expect(OrderedTree.fromSorted(keys, keys).slice()).toEqual(one.slice());
    for (const k of keys) one = one.delete(k);
    expect(one.size).toBe(0);
    expect(one.set("a", "a").slice()).toEqual(["a"]);
  });

  test("deleting what is not there gives the same tree", () => {
    const tree = OrderedTree.fromSorted(["a"], [1]);
    expect(tree.delete("b")).toBe(tree);
  });
});

function sorted(model: Map<string, number>): [string, number][] {
  return [...model].sort(([a], [b]) => (a < b ? -1 : 1));
}
