import { expect, test } from "@jest/globals";
import { quantileOf } from "./quantile";

const INF = Number.POSITIVE_INFINITY;

test("a quantile lies within its bucket, in proportion", () => {
  const buckets = new Map([
    [INF, 100],
    [0.1, 50],
    [0.5, 90],
    [1, 100],
  ]);
  expect(quantileOf(0.5, buckets)).toBeCloseTo(0.1);
  expect(quantileOf(0.7, buckets)).toBeCloseTo(0.3);
  expect(quantileOf(0.95, buckets)).toBeCloseTo(0.75);
  expect(quantileOf(0, buckets)).toBeCloseTo(0);
});

test("a quantile beyond the last bound is that bound, and there is none without observations", () => {
  const buckets = new Map([
    [1, 1],
    [INF, 10],
  ]);
  expect(quantileOf(0.99, buckets)).toBe(1);
  expect(quantileOf(0.99, new Map())).toBeUndefined();
  expect(quantileOf(0.99, new Map([[INF, 0]]))).toBeUndefined();
});
