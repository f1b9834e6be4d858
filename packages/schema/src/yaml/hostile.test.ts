// Worst-case bodies: the cost must grow about linearly.
import { describe, expect, test } from "@jest/globals";
import { growthOf, LINEAR_MAX } from "@orch/testing";
import { parseYaml } from "./parse-yaml";

const times = (count: number, item: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => item(index)).join("");

/** Bodies by size. Sixteen times the size, the largest measured one, is at most the 3 MiB that the server accepts. */
const BODIES: Readonly<Record<string, readonly [size: number, body: (size: number) => string]>> = {
  items: [10_000, (size) => "- a\n".repeat(size)],
  "items in a line": [20_000, (size) => `[${"a,".repeat(size)}a]`],
  keys: [10_000, (size) => times(size, (index) => `k${index}: 1\n`)],
  "keys in a line": [10_000, (size) => `{${times(size, (index) => `k${index}: 1, `)}}`],
  "the same key": [10_000, (size) => "a: 1\n".repeat(size)],
  "the same key under a long one": [100_000, (size) => `${"k".repeat(size)}:\n${" a: 1\n".repeat(1000)}`],
  comments: [10_000, (size) => `${"# c\n".repeat(size)}a: 1\n`],
  "blank lines": [50_000, (size) => `${"\n".repeat(size)}a: 1\n`],
  "white space": [150_000, (size) => `a:${" ".repeat(size)}1\n`],
  tabs: [150_000, (size) => `a:${"\t".repeat(size)}1\n`],
  words: [50_000, (size) => `a: ${"x ".repeat(size)}`],
  "lines of words": [50_000, (size) => `a: ${"x\n ".repeat(size)}`],
  "escaped characters": [50_000, (size) => `a: "${"\\n".repeat(size)}"`],
  "quoted lines": [50_000, (size) => `a: "${"x\n ".repeat(size)}"`],
  quotes: [50_000, (size) => `a: '${"''".repeat(size)}'`],
  "a block of lines": [50_000, (size) => `a: |\n${" x\n".repeat(size)}`],
  "a block of empty lines": [50_000, (size) => `a: |\n${"\n".repeat(size)} x\n`],
  "folded lines": [50_000, (size) => `a: >\n${" x\n".repeat(size)}`],
  colons: [100_000, (size) => `a: ${":".repeat(size)}`],
  "question marks": [10_000, (size) => "? a\n".repeat(size)],
  tags: [10_000, (size) => "- !!str a\n".repeat(size)],
  "a long tag": [100_000, (size) => `a: !${"b".repeat(size)} c`],
  "a long key": [150_000, (size) => `${"x".repeat(size)}: 1`],
  "what never ends": [150_000, (size) => `a: "${"x".repeat(size)}`],
  "a list that never ends": [20_000, (size) => `[a${",a".repeat(size)}`],
  digits: [100_000, (size) => `a: ${"1".repeat(size)}`],
  sixtieths: [50_000, (size) => `a: ${"1:".repeat(size)}1`],
  points: [50_000, (size) => `a: ${"1.".repeat(size)}`],
  underscores: [50_000, (size) => `a: ${"1_".repeat(size)}x`],
  dates: [10_000, (size) => "- 2020-01-01\n".repeat(size)],
  "a date": [100_000, (size) => `a: 2020-01-01${" ".repeat(size)}x`],
  bytes: [50_000, (size) => `a: !!binary ${"AAAA".repeat(size)}`],
  documents: [10_000, (size) => "---\n".repeat(size)],
  "ends of documents": [10_000, (size) => "...\n".repeat(size)],
  "lines that say nothing": [15_000, (size) => `${" \t #\n".repeat(size)}---\n${" \t #\n".repeat(size)}a: 1`],
  "white space before a marker": [150_000, (size) => `${" ".repeat(size)}x\n---\n`],
  octals: [100_000, (size) => `a: 0${"7".repeat(size)}`],
  zeros: [100_000, (size) => `a: 0x${"0".repeat(size)}1`],
  "words in upper case": [20_000, (size) => "- YES\n".repeat(size)],
  "what a mapping takes in": [50, (size) => `a: &a {k: 1}\nb: {${"<<: *a, ".repeat(size)}}`],
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

function outcome(bytes: Buffer): unknown {
  try {
    return parseYaml(bytes);
  } catch (error) {
    return error;
  }
}

describe("YAML costs no more than its share", () => {
  test.each(Object.entries(BODIES))("%s", async (_what, [size, body]) => {
    const make = (count: number) => {
      const bytes = Buffer.from(body(count));
      return () => outcome(bytes);
    };
    expect(await growthOf(make, size)).toBeLessThan(LINEAR_MAX);
  });
});
