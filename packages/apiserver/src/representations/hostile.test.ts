// The worst bodies, and the worst objects to write for people: none costs more than about its share of a larger one.
import { describe, expect, test } from "@jest/globals";
import type { JsonValue } from "@orch/schema";
import { growthOf, LINEAR_MAX } from "@orch/testing";
import { indentedJson } from "./forms/indented-json";
import { parseYaml } from "./yaml-body";

const times = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join("");

const BODIES: Readonly<Record<string, readonly [size: number, body: (size: number) => string]>> = {
  items: [10_000, (size) => "- a\n".repeat(size)],
  "items in a line": [20_000, (size) => `[${"a,".repeat(size)}a]`],
  keys: [10_000, (size) => times(size, (index) => `k${index}: 1\n`)],
  "keys in a line": [10_000, (size) => `{${times(size, (index) => `k${index}: 1, `)}}`],
  "the same key": [10_000, (size) => "a: 1\n".repeat(size)],
  "the same key under a long one": [100_000, (size) => `${"k".repeat(size)}:\n${" a: 1\n".repeat(1000)}`],
  comments: [10_000, (size) => `${"# c\n".repeat(size)}a: 1\n`],
  "blank lines": [100_000, (size) => `${"\n".repeat(size)}a: 1\n`],
  "white space": [200_000, (size) => `a:${" ".repeat(size)}1\n`],
  tabs: [200_000, (size) => `a:${"\t".repeat(size)}1\n`],
  words: [100_000, (size) => `a: ${"x ".repeat(size)}`],
  "lines of words": [50_000, (size) => `a: ${"x\n ".repeat(size)}`],
  "escaped characters": [100_000, (size) => `a: "${"\\n".repeat(size)}"`],
  "quoted lines": [50_000, (size) => `a: "${"x\n ".repeat(size)}"`],
  quotes: [100_000, (size) => `a: '${"''".repeat(size)}'`],
  "a block of lines": [50_000, (size) => `a: |\n${" x\n".repeat(size)}`],
  "a block of empty lines": [100_000, (size) => `a: |\n${"\n".repeat(size)} x\n`],
  "folded lines": [50_000, (size) => `a: >\n${" x\n".repeat(size)}`],
  colons: [200_000, (size) => `a: ${":".repeat(size)}`],
  "question marks": [10_000, (size) => "? a\n".repeat(size)],
  tags: [10_000, (size) => "- !!str a\n".repeat(size)],
  "a long tag": [100_000, (size) => `a: !${"b".repeat(size)} c`],
  "a long key": [200_000, (size) => `${"x".repeat(size)}: 1`],
  "what never ends": [200_000, (size) => `a: "${"x".repeat(size)}`],
  "a list that never ends": [20_000, (size) => `[a${",a".repeat(size)}`],
  digits: [100_000, (size) => `a: ${"1".repeat(size)}`],
  sixtieths: [50_000, (size) => `a: ${"1:".repeat(size)}1`],
  points: [100_000, (size) => `a: ${"1.".repeat(size)}`],
  underscores: [100_000, (size) => `a: ${"1_".repeat(size)}x`],
  dates: [10_000, (size) => "- 2020-01-01\n".repeat(size)],
  "a date": [100_000, (size) => `a: 2020-01-01${" ".repeat(size)}x`],
  bytes: [100_000, (size) => `a: !!binary ${"AAAA".repeat(size)}`],
  documents: [10_000, (size) => "---\n".repeat(size)],
  directives: [20_000, (size) => "%A b\n".repeat(size)],
  anchors: [20_000, (size) => times(size, (index) => `- &a${index} 1\n`)],
  aliases: [20_000, (size) => `a: &a 1\nb: [${"*a, ".repeat(size)}]`],
  "anchors of lists in lists": [50, (size) => times(size, (index) => `${" ".repeat(index)}&a${index}\n`)],
  "a list as a key": [20_000, (size) => `[${"a,".repeat(size)}a]: b`],
  "pairs in a list": [10_000, (size) => `[${"a: b, ".repeat(size)}]`],
  "lists as keys in a list": [10_000, (size) => `[${"[a]: b, ".repeat(size)}]`],
  "an anchored list": [20_000, (size) => `a:\n &x [${"b,".repeat(size)}b]`],
  returns: [10_000, (size) => "a: 1\r\n".repeat(size)],
};

describe("YAML costs no more than its share", () => {
  test.each(Object.entries(BODIES))("%s", async (_what, [size, body]) => {
    const make = (count: number) => {
      const bytes = Buffer.from(body(count));
      return () => parseYaml(bytes).catch((error: unknown) => error);
    };
    expect(await growthOf(make, size)).toBeLessThan(LINEAR_MAX);
  });
});

describe("JSON for people", () => {
  const deep = (levels: number, innermost: JsonValue): JsonValue => {
    let value = innermost;
    for (let level = 0; level < levels; level += 1) value = [value];
    return value;
  };

  test("stays in one line where it would be mostly indentation", () => {
    const value = deep(900, Array(100_000).fill(1));
    expect(indentedJson(value)).toBe(JSON.stringify(value));
    expect(indentedJson(deep(2, [1]))).toBe(JSON.stringify(deep(2, [1]), undefined, 2));
  });

  test("costs no more than its share", async () => {
    const make = (size: number) => {
      const value = deep(900, Array(size).fill({ a: 1 }));
      return () => indentedJson(value);
    };
    expect(await growthOf(make, 10_000)).toBeLessThan(LINEAR_MAX);
  });
});
