import { expect, test } from "@jest/globals";
import { parseYaml } from "./yaml-body";

const parse = (text: string) => parseYaml(Buffer.from(text));

test("words mean what they do in version 1.1, and dates become texts", async () => {
  const { value, problems } = await parse("a: yes\nb: 0777\nc: 'no'\nd: [1, {e: ~}]\nf: 2020-01-02\n");
  expect(value).toEqual({ a: true, b: 511, c: "no", d: [1, { e: null }], f: "2020-01-02T00:00:00.000Z" });
  expect(problems).toEqual([]);
});

test("of keys that are there twice the last one counts, and each is told", async () => {
  const { value, problems } = await parse("a: 1\nb: [{c: 1}, {c: 1, c: 2}]\na: {d: {e: 1, e: 2}}\n");
  expect(value).toEqual({ a: { d: { e: 2 } }, b: [{ c: 1 }, { c: 2 }] });
  expect(problems.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    "duplicateField b[1].c",
    "duplicateField a",
    "duplicateField a.d.e",
  ]);
});

test("a key that objects inherit is dropped", async () => {
  const { value, problems } = await parse("a: {__proto__: {b: 1}}\n");
  expect(value).toEqual({ a: {} });
  expect(problems).toHaveLength(1);
});

const repeated = (text: string, times: number) => text.repeat(times);
const chain = Array.from({ length: 2000 }, (_, at) => `- &a${at + 1} [*a${at}]\n`).join("");

const bomb = [..."bcdefghij"]
  .map((name, at) => `${name}: &${name} [${repeated(`*${"abcdefghi"[at]}, `, 9)}]\n`)
  .join("");

test.each<[string, string, RegExp]>([
  ["lists in a line", repeated("[", 200_000), /^nested deeper than 250 levels$/],
  ["mappings in a line", repeated("{a: ", 50_000), /^nested deeper than 250 levels$/],
  ["lists in lists", repeated("- ", 50_000), /^nested deeper than 250 levels$/],
  ["keys of keys", repeated("? ", 50_000), /^nested deeper than 250 levels$/],
  ["mappings by indentation", [...Array(1000).keys()].map((at) => `${" ".repeat(at)}a:\n`).join(""), /^nested deeper/],
  ["many aliases in one another", `- &a0 [1]\n${chain}`, /^there are more than 1000 anchors and aliases$/],
  ["an alias inside itself", "a: &x {b: *x}\n", /^an alias stands for what it is itself a part of/],
  ["aliases that unfold without end", `a: &a [x]\n${bomb}`, /^it is too large once its aliases are resolved$/],
  ["texts that unfold", `- &a ${repeated("x", 1_000_000)}\n${repeated("- *a\n", 100)}`, /^it is too large/],
  ["words without end", repeated("- a\n", 200_000), /^there are more than 500000 words and marks$/],
  ["two documents", "a: 1\n---\nb: 1\n", /^there is more than one document$/],
  ["a tab", "a:\n\tb: 1\n", /^Tabs are not allowed as indentation at line 2, column 1$/],
])("%s are refused in one line", async (_what, text, why) => {
  const error = await parse(text).then(
    () => undefined,
    (reason: Error) => reason.message,
  );
  expect(error).toMatch(why);
  expect(error).not.toContain("\n");
});

test("an alias may stand for a thing many times", async () => {
  const { value } = await parse(`a: &x {b: [1]}\nc: [${repeated("*x, ", 500)}]\nd: |\n  * item\n`);
  expect(value).toEqual({ a: { b: [1] }, c: Array(500).fill({ b: [1] }), d: "* item\n" });
});

test("200 levels are not too many", async () => {
  const { value } = await parse(`${repeated("[", 200)}${repeated("]", 200)}`);
  expect(JSON.stringify(value)).toBe(`${repeated("[", 200)}${repeated("]", 200)}`);
});
