import { describe, expect, test } from "@jest/globals";
import { RE2JS } from "re2js";
import { RegularExpression } from "./regular-expression";

const compiled = (text: string): RegularExpression => {
  const expression = RegularExpression.compile(text);
  if (typeof expression === "string") throw new Error(expression);
  return expression;
};

test.each<[string, string, boolean]>([
  ["^(a+)+$", "aaaaaaaa!", false],
  ["b", "abc", true],
  ["^b", "abc", false],
  ["(?i)^AB", "abc", true],
  ["(?P<first>a)b", "ab", true],
  ["(?s)a.b", "a\nb", true],
  ["(?U)a+", "aa", true],
  ["\\pL{3}", "äöü", true],
  ["^[[:alpha:]]+\\z", "abc", true],
  ["^.$", "😀", true],
])("%s tested on %j is %s", (pattern, text, expected) => {
  expect(compiled(pattern).test(text)).toBe(expected);
});

test.each([
  ["a look ahead", "a(?=b)"],
  ["a look behind", "(?<!a)b"],
  ["a back reference", "(a)\\1"],
  ["a bracket that is not closed", "[a"],
  ["a repetition of nothing", "*a"],
])("%s is no expression", (_what, pattern) => {
  expect(RegularExpression.compile(pattern)).toEqual(expect.any(String));
});

describe("an expression that is too large is rejected before its compilation", () => {
  test.each([
    ["repetitions within one another", "(((a{100}){100}){100})"],
    ["repetitions of many letters", `(${"ab".repeat(50)}){999}`],
    ["of what stands in quotes", `(?:\\Q)\\E${"ab".repeat(50)}){999}`],
    ["of what looks like an end in a class", `(?:[)]${"ab".repeat(50)}){999}`],
    ["classes of all letters", "\\pL".repeat(101)],
    ["a long text", "a".repeat(4097)],
  ])("%s", (_what, pattern) => {
    expect(RegularExpression.compile(pattern)).toMatch(/too large|characters/);
  });

  test("and the bound on the size holds for all kinds of expressions", () => {
    const atoms = [
      "a",
      ".",
      "[a-z]",
      "[^]a]",
      "\\d",
      "\\Q({\\E",
      "\\x{41}",
      "\\pL",
      "(?:ab|c)",
      "(a?b)",
      "(?i:k)",
      "[[:digit:]]",
    ];
    const repetitions = ["", "*", "+?", "{3}", "{0,7}", "{5,}", "{2}"];
    let seed = 1;
    const pick = <T>(list: readonly T[]): T => {
      seed = (seed * 48271) % 2147483647;
      return list[seed % list.length] as T;
    };
    const expression = (depth: number): string => {
      const inner =
        depth === 0 ? pick(atoms) : pick([pick(atoms), `(${expression(depth - 1)}${expression(depth - 1)})`]);
      return inner + pick(repetitions);
    };
    let compared = 0;
    for (let round = 0; round < 500; round += 1) {
      const pattern = expression(3);
      const bounded = RegularExpression.compile(pattern);
      if (typeof bounded === "string") continue;
      compared += 1;
      const steps = RE2JS.compile(pattern).programSize();
      // The program has additional steps at its start and end.
      expect({ pattern, isBound: bounded.size + 4 >= steps }).toEqual({ pattern, isBound: true });
    }
    expect(compared).toBeGreaterThan(300);
  });
});

test("the steps of matching are counted", () => {
  const expression = compiled("^(?:.*[ab].{8})[xy]$");
  const text = "abcabbacbacb";
  expression.test(text);
  const first = expression.work;
  expression.test(text);
  const again = expression.work - first;
  expect(again).toBe(text.length + 1);
  expect(first).toBeGreaterThan(again);
});

test("an expression that meets more than it may remember goes on, and is charged for all of its steps", () => {
  const expression = compiled("^(?:.*[ab].{60})[xy]$");
  const text = scattered(20_000);
  expect(expression.test(text)).toBe(false);
  expect(expression.work).toBeGreaterThan(text.length * expression.size);
  expect(expression.test(`${text.slice(0, 100)}x`)).toBe(/^(?:.*[ab].{60})[xy]$/.test(`${text.slice(0, 100)}x`));
});

/** Returns letters in a non-repeating order. */
function scattered(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48271) % 2147483647;
    return "abc"[state % 3];
  }).join("");
}
