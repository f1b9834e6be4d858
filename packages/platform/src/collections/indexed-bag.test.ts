import { expect, test } from "@jest/globals";
import { IndexedBag, type Placed } from "./indexed-bag";

const itemsOf = (count: number) => {
  const items = Array.from({ length: count }, (_, number) => ({ number, place: 0 }));
  const passing = new IndexedBag<Placed & { readonly number: number }>((item) => item);
  for (const item of items) passing.add(item);
  return { items, passing };
};

const shown = (passing: IndexedBag<Placed & { readonly number: number }>) =>
  passing.all.map(({ number }) => number).sort((a, b) => a - b);

test("a removed item is absent after other additions and removals", () => {
  const { items, passing } = itemsOf(100);
  const gone = items.filter(({ number }) => number % 3 === 0);
  expect(gone.map((item) => passing.delete(item))).not.toContain(false);
  expect(gone.map((item) => passing.delete(item))).not.toContain(true);
  expect(shown(passing)).toEqual(items.map(({ number }) => number).filter((number) => number % 3 !== 0));
  for (const item of gone) passing.add(item);
  expect(shown(passing)).toEqual(items.map(({ number }) => number));
  expect(passing.size).toBe(100);
});

test("all that stay are shown, though others are taken out or come meanwhile", () => {
  const { items, passing } = itemsOf(40);
  const seen = new Set<number>();
  passing.forEach((item) => {
    seen.add(item.number);
    const { number } = item;
    if (number % 2 === 1) passing.delete(item);
    if (number % 4 === 1) passing.delete(items[(number * 7) % 40] as (typeof items)[number]);
    if (number === 20) passing.add({ number: 1000, place: 0 });
  });
  expect(passing.all.filter(({ number }) => number < 1000 && !seen.has(number))).toEqual([]);
});

test("it shows none of what was taken out before its turn", () => {
  const { items, passing } = itemsOf(10);
  const seen: number[] = [];
  passing.forEach(({ number }) => {
    seen.push(number);
    for (const item of items) passing.delete(item);
  });
  expect(seen).toHaveLength(1);
});
