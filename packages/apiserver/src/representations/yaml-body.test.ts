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

test("a key that objects inherit something by is one like any other", async () => {
  const { value, problems } = await parse(
    "a: {__proto__: {b: 1}}\nconstructor: {<<: {__proto__: 2}}\n__proto__: &x [1]\nb: *x\n",
  );
  expect(JSON.stringify(value)).toBe(
    '{"a":{"__proto__":{"b":1}},"constructor":{"__proto__":2},"__proto__":[1],"b":[1]}',
  );
  expect(problems).toEqual([]);
  expect(({} as { b?: number }).b).toBeUndefined();
});

test("numbers are those of either version, and what has a tag is what it says", async () => {
  const { value } = await parse(
    "a: [1e3, 08, 0x1F, 1_000, 1:30, .5, 0b11, -0777, 09.5]\nb: [!!str 1, !!int '5', !!bool 'no', ! 7, !own 8, !!binary aGk=]\n",
  );
  expect(value).toEqual({
    a: [1000, 8, 31, 1000, 90, 0.5, 3, -511, 9.5],
    b: ["1", 5, false, "7", "8", "hi"],
  });
});

test("integers have all their digits, however they are written", async () => {
  const { value } = await parse(
    "[9007199254740993, -9_007_199_254_740_993, +9007199254740993, 0x20000000000001, -0x20000000000001, 0400000000000000001, 9223372036854775807, 9007199254740993.0, 1000000000000000000]",
  );
  const large = 9007199254740993n;
  expect(value).toEqual([large, -large, large, large, -large, large, 2n ** 63n - 1n, 9007199254740992, 10 ** 18]);
});

test.each([".inf", "-.Inf", ".nan"])("%s is no number that JSON has", (text) =>
  expect(parse(`a: ${text}`)).rejects.toThrow("is no number that JSON has"),
);

test("keys are texts", async () => {
  const { value } = await parse("1: a\ntrue: b\n~: c\n2020-01-02: d\n&x key: e\nf: *x\n");
  expect(value).toEqual({ 1: "a", true: "b", "": "c", "2020-01-02T00:00:00.000Z": "d", key: "e", f: "key" });
});

test("a mapping takes in the members of others, and has its own", async () => {
  const { value, problems } = await parse(
    "a: &x {k: 1, l: 1}\nb: &y {k: 2, m: 2}\nc: {l: 3, <<: [*x, *y]}\nd:\n  <<: *y\n  k: 4\n  k: 5\n",
  );
  expect(value).toMatchObject({ c: { k: 1, l: 3, m: 2 }, d: { k: 5, m: 2 } });
  expect(problems).toEqual([{ kind: "duplicateField", path: "d.k" }]);
});

test.each(["", "# nothing\n", "---\n", "~"])("%j is nothing", async (text) => {
  expect((await parse(text)).value).toBeNull();
});

const repeated = (text: string, times: number) => text.repeat(times);
const chain = Array.from({ length: 2000 }, (_, at) => `- &a${at + 1} [*a${at}]\n`).join("");

const chainOf = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: 1`).join(", ");

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
  ["values without end", repeated("- a\n", 400_000), /^there are more than 300000 values$/],
  ["members that unfold", `a: &a {${chainOf(1000)}}\nb: [${repeated("{<<: *a}, ", 900)}]`, /^it is too large/],
  ["a key that is a list", "[a]: b\n", /^a key may not be a list or a mapping$/],
  ["a key that is an alias of a mapping", "a: &x {}\n*x : b\n", /^a key may not be a list or a mapping$/],
  ["a text among what is taken in", "a: {<<: [b]}\n", /^only mappings can be taken into another$/],
  ["an alias of nothing", "a: *x\n", /^there is no anchor of an alias; a text that begins with \* needs quotes$/],
  [
    "a tag that is none",
    `a: !${repeated("^", 1_000_000)} b\n`,
    /^tag name cannot contain such characters: \^+ at line 1/,
  ],
  ["two documents", "a: 1\n---\nb: 1\n", /^there is more than one document$/],
  ["a tab", "a:\n\tb: 1\n", /^tab characters must not be used in indentation at line 2, column 1$/],
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

test("a character that is none is read as the one that replaces it, as from JSON", async () => {
  const text = String.raw`{"\ud800": "x\ud800y", "pair": "\ud83d\ude00", "list": ["\udc00"], "plain": '\ud800'}`;
  const { value } = await parse(text);
  expect(value).toEqual({ "\ufffd": "x\ufffdy", pair: "\u{1f600}", list: ["\ufffd"], plain: "\\ud800" });
  const numbered = await parse(String.raw`a: "\U0000D800"`);
  expect(numbered.value).toEqual({ a: "\ufffd" });
});
