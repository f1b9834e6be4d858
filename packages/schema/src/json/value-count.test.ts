import { describe, expect, test } from "@jest/globals";
import { countValues, hasManyValues, isLargeJson, LONG_BYTES, MANY_VALUES } from "./value-count";

const count = (text: string, enough?: number) => countValues(Buffer.from(text), enough);

/** Counts objects, arrays, members and items in a parsed value. */
function values(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, each) => sum + values(each), 1);
}

describe("the values of a JSON text", () => {
  test.each([
    ["null", "null"],
    ["an empty object", "{}"],
    ["nested lists", "[[],[[1,2],[3]]]"],
    ["an object", '{"a":1,"b":{"c":[1,2,{"d":null}]}}'],
    ["strings that look like structure", '{"a":"{,[,","b":"\\",{","c\\\\":"\\\\",",":[","]}'],
    ["white space", ' { "a" : [ 1 , 2 ] } '],
    ["text of other alphabets", '{"ключ":["значение","値",{"a":"é,{"}]}'],
  ])("are never fewer than there are: %s", (_what, text) => {
    const found = values(JSON.parse(text));
    expect(count(text)).toBeGreaterThanOrEqual(found);
    // An empty object or array counts like one with an item.
    expect(count(text)).toBeLessThanOrEqual(2 * found);
  });

  test("strings count once, however long and whatever is in them", () => {
    expect(count(JSON.stringify(`"{[,\\`.repeat(10_000)))).toBe(1);
  });

  test("the values of a truncated text are counted up to its end", () => {
    expect(count('{"a":1,"b')).toBe(3);
    expect(count('["\\')).toBe(2);
  });

  test("counting stops when there are enough", () => {
    expect(count(`[${"0,".repeat(1000)}0]`, 10)).toBe(10);
  });
});

test("an object has many values by their number, not by its bytes; it is large by either", () => {
  const map = (keys: number) =>
    Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key-${at}`, ""]))));
  const text = (bytes: number) => Buffer.from(JSON.stringify({ text: "x".repeat(bytes - '{"text":""}'.length) }));
  expect([text(LONG_BYTES - 1), text(LONG_BYTES)].map(hasManyValues)).toEqual([false, false]);
  expect([text(LONG_BYTES - 1), text(LONG_BYTES)].map(isLargeJson)).toEqual([false, true]);
  expect([map(MANY_VALUES - 10), map(MANY_VALUES)].map(hasManyValues)).toEqual([false, true]);
  expect([map(MANY_VALUES - 10), map(MANY_VALUES)].map(isLargeJson)).toEqual([false, true]);
});
