import { expect, test } from "@jest/globals";
import { widthOfChange, widthOfList } from "./request-width";

const ALL = { limit: 0, selects: false, isPast: false };

test.each<[string, number, Partial<typeof ALL>, number]>([
  ["of nothing", 0, {}, 1],
  ["of a hundred objects", 100, {}, 1],
  ["of a hundred and one", 101, {}, 2],
  ["of very many", 100_000, {}, 10],
  ["of a page of very many", 100_000, { limit: 500 }, 5],
  ["of a page of few", 50, { limit: 500 }, 1],
  ["of a page, of which all are looked at", 100_000, { limit: 500, selects: true }, 10],
  ["of a page of a former state", 100_000, { limit: 200, isPast: true }, 4],
])("a list %s", (_what, objects, extent, seats) => {
  expect(widthOfList({ objects }, { ...ALL, ...extent })).toEqual({ seats, afterMs: 0 });
});

test.each([
  [0, 1, 0],
  [1, 1, 5],
  [10, 1, 5],
  [25, 3, 5],
  [100, 10, 5],
  [1000, 10, 50],
])(
  "a change that %d watchers hear of takes %d seats, and these %d ms beyond its answer",
  (watchers, seats, afterMs) => {
    expect(widthOfChange({ watchers })).toEqual({ seats, afterMs, watchers });
  },
);
