import { expect, test } from "@jest/globals";
import { parseYaml } from "./parse-yaml";

const parse = (text: string) => parseYaml(Buffer.from(text));

test("dates and times stay the texts that they are, wherever they stand", () => {
  const { value, problems } = parse(
    "a: yes\nb: 2020-03-25T13:37:11.123456Z\nc: '22:22'\nd: [12:30:45, {e: 22:22}]\n2020-01-02: 2001-01-01\n",
  );
  expect(value).toEqual({
    a: true,
    b: "2020-03-25T13:37:11.123456Z",
    c: "22:22",
    d: ["12:30:45", { e: "22:22" }],
    "2020-01-02": "2001-01-01",
  });
  expect(problems).toEqual([]);
});

test("the last of duplicate keys is used, and each is reported", () => {
  const { value, problems } = parse("a: 1\nb: [{c: 1}, {c: 1, c: 2}]\na: {d: {e: 1, e: 2}}\n");
  expect(value).toEqual({ a: { d: { e: 2 } }, b: [{ c: 1 }, { c: 2 }] });
  expect(problems.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    "duplicateField b[1].c",
    "duplicateField a.d.e",
    "duplicateField a",
  ]);
});

test("a key that objects inherit something by is one like any other", () => {
  const { value, problems } = parse(
    "a: {__proto__: {b: 1}}\nconstructor: {<<: {__proto__: 2}}\n__proto__: &x [1]\nb: *x\n",
  );
  expect(JSON.stringify(value)).toBe(
    '{"a":{"__proto__":{"b":1}},"constructor":{"__proto__":2},"__proto__":[1],"b":[1]}',
  );
  expect(problems).toEqual([]);
  expect(({} as { b?: number }).b).toBeUndefined();
});

test("integers of 64 bits have all their digits, however they are written, and larger ones are doubles", () => {
  const { value } = parse(
    "[9007199254740993, -9_007_199_254_740_993, +9007199254740993, 0x20000000000001, -0x20000000000001, 0400000000000000001, 9223372036854775807, 9223372036854775808, 9007199254740993.0, 1000000000000000000]",
  );
  const large = 9007199254740993n;
  expect(value).toEqual([
    ...[large, -large, large, large, -large, large],
    ...[2n ** 63n - 1n, 2 ** 63, 9007199254740992, 10 ** 18],
  ]);
});

test("keys are the texts of their values", () => {
  const { value } = parse(
    "1: a\nyes: b\n0x1F: c\n22:22: d\n&x key: e\nf: *x\n1.50: g\n.inf: h\n9223372036854775807: i\n",
  );
  expect(value).toEqual({
    ...{ 1: "a", true: "b", 31: "c", "22:22": "d", key: "e", f: "key", 1.5: "g", ".inf": "h" },
    "9223372036854775807": "i",
  });
});

test("a mapping takes in the members of others, and has its own", () => {
  const { value, problems } = parse(
    "a: &x {k: 1, l: 1}\nb: &y {k: 2, m: 2}\nc: {l: 3, <<: [*x, *y]}\nd:\n  <<: *y\n  k: 4\n  k: 5\n",
  );
  // A merged member replaces an earlier one, as in sigs.k8s.io/yaml, and is reported as a duplicate.
  expect(value).toMatchObject({ c: { k: 1, l: 1, m: 2 }, d: { k: 5, m: 2 } });
  expect(problems.map(({ kind, path }) => `${kind} ${path}`)).toEqual(["duplicateField c.l", "duplicateField d.k"]);
  expect(parse("a: {'<<': 1, !!str <<: 2}\n").value).toEqual({ a: { "<<": 2 } });
  expect(parse("a: {<<: {k: 1}, <<: {k: 2}}\n").value).toEqual({ a: { k: 2 } });
});

test.each<[string, unknown, number | undefined]>([
  ["---\na: 1\n", { a: 1 }, undefined],
  ["# c\n%YAML 1.1\n---\na: 1\n---\n", { a: 1 }, undefined],
  ["--- {a: 1}\n...\n# c\n--- # c\n\n...\n", { a: 1 }, undefined],
  ["\ufeffa: 1\n---\nb: [\n", { a: 1 }, 10],
  ["\ufeff---\na: 1\n--- b\n", { a: 1 }, 13],
  ["a: 1\n---\n---\r\n  b: 2\n", { a: 1 }, 14],
  ["a: 1\n...\nb: 2\n", { a: 1 }, 9],
  ["---\n---\na: 1\n", null, 8],
  ["a: |\n  ---\n  x\nb: a---b...\n", { a: "---\nx\n", b: "a---b..." }, undefined],
])("the first document of %j is read, and the start of another is reported", (text, value, furtherAt) => {
  const parsed = parse(text);
  expect(parsed.value).toEqual(value);
  expect(parsed.problems).toEqual(
    furtherAt === undefined ? [] : [{ kind: "furtherDocument", path: "", offset: furtherAt }],
  );
});

test.each(["", "# nothing\n", "---\n", "~"])("%j is nothing", (text) => {
  expect(parse(text).value).toBeNull();
});

const repeated = (text: string, times: number) => text.repeat(times);
const chain = Array.from({ length: 2000 }, (_, at) => `- &a${at + 1} [*a${at}]\n`).join("");

const chainOf = (count: number) => Array.from({ length: count }, (_, at) => `k${at}: 1`).join(", ");

const bomb = [..."bcdefghij"]
  .map((name, at) => `${name}: &${name} [${repeated(`*${"abcdefghi"[at]}, `, 9)}]\n`)
  .join("");

test("aliases unfold into more than the text itself", () => {
  const list = Array.from({ length: 100 }, () => "x".repeat(20));
  const { value } = parse(`a: &a [${list.join()}]\nb: [${repeated("*a,", 20)}]`);
  expect(value).toEqual({ a: list, b: Array.from({ length: 20 }, () => list) });
});

test.each<[string, string, RegExp]>([
  ["lists in a line", repeated("[", 200_000), /^nested deeper than 250 levels at line 1, column \d+$/],
  ["mappings in a line", repeated("{a: ", 50_000), /^nested deeper than 250 levels at line 1, column \d+$/],
  ["lists in lists", repeated("- ", 50_000), /^nested deeper than 250 levels at line 1, column \d+$/],
  ["keys of keys", repeated("? ", 50_000), /^nested deeper than 250 levels at line 1, column \d+$/],
  ["mappings by indentation", [...Array(1000).keys()].map((at) => `${" ".repeat(at)}a:\n`).join(""), /^nested deeper/],
  [
    "many aliases in one another",
    `- &a0 [1]\n${chain}`,
    /^there are more than 1000 anchors and aliases at line 501, column 11$/,
  ],
  ["an alias inside itself", "a: &x {b: *x}\n", /^an alias stands for what it is itself a part of/],
  ["aliases that unfold without end", `a: &a [x]\n${bomb}`, /^it is too large once its aliases are resolved$/],
  [
    "a short text that unfolds into many values",
    `a: &a [${repeated("[],", 120)}]\nb: [${repeated("*a,", 120)}]`,
    /^it is too large/,
  ],
  [
    "a short text that takes in many members",
    `a: &a {${chainOf(100)}}\nb: [${repeated("{<<: *a}, ", 100)}]`,
    /^it is too large/,
  ],
  [
    "a short text that unfolds into a long one",
    `- &a ${repeated("x", 2000)}\n${repeated("- *a\n", 200)}`,
    /^it is too large/,
  ],
  ["texts that unfold", `- &a ${repeated("x", 1_000_000)}\n${repeated("- *a\n", 100)}`, /^it is too large/],
  ["values without end", repeated("- a\n", 400_000), /^there are more than 300000 values at line 300001, column 3$/],
  ["members that unfold", `a: &a {${chainOf(1000)}}\nb: [${repeated("{<<: *a}, ", 900)}]`, /^it is too large/],
  ["a key that is a list", "[a]: b\n", /^a key may not be a list or a mapping at line 1, column 1$/],
  [
    "a key that is an alias of a mapping",
    "a: &x {}\n*x : b\n",
    /^a key may not be a list or a mapping at line 2, column 2$/,
  ],
  ["a text among what is taken in", "a: {<<: [b]}\n", /^only mappings can be taken into another at line 1/],
  [
    "an alias of nothing",
    "a: *x\n",
    /^an alias has no anchor; a string that starts with \* requires quotes at line 1, column 5$/,
  ],
  [
    "a tag that is none",
    `a: !${repeated("^", 1_000_000)} b\n`,
    /^tag name cannot contain such characters at line 1, column 1000005$/,
  ],
  ["a key that is null", "a: 1\n~: b\n", /^a key may not be null at line 2, column 1$/],
  ["a key without a text", ": b\n", /^a key may not be null$/],
  [
    "a key beyond 64 bits",
    "9223372036854775808: b\n",
    /^a key may not be an integer of more than 64 bits; quote it at /,
  ],
  [
    "a number that JSON does not have",
    "a: -.inf\n",
    /^a number is infinite or not a number, which JSON does not allow at line 1, column 4$/,
  ],
  [
    "a text that its tag does not allow",
    "\r\na: b\rc: !!int d\n",
    /^the tag !!int does not allow this value at line 3, column 4$/,
  ],
  ["a tag whose name is not declared", "a: !secret!b c\n", /^undeclared tag handle at line 1/],
  ["a tab", "a:\n\tb: 1\n", /^tab characters must not be used in indentation at line 2, column 1$/],
])("%s are refused in one line", (_what, text, why) => {
  let told = "";
  try {
    parse(text);
  } catch (error) {
    told = (error as Error).message;
  }
  expect(told).toMatch(why);
  expect(told).not.toContain("\n");
});

test("an alias may stand for a thing many times", () => {
  const { value } = parse(`a: &x {b: [1]}\nc: [${repeated("*x, ", 500)}]\nd: |\n  * item\n`);
  expect(value).toEqual({ a: { b: [1] }, c: Array(500).fill({ b: [1] }), d: "* item\n" });
});

test("200 levels are not too many", () => {
  const { value } = parse(`${repeated("[", 200)}${repeated("]", 200)}`);
  expect(JSON.stringify(value)).toBe(`${repeated("[", 200)}${repeated("]", 200)}`);
});

test("a character that is none is read as the one that replaces it, as from JSON", () => {
  const text = String.raw`{"\ud800": "x\ud800y", "pair": "\ud83d\ude00", "list": ["\udc00"], "plain": '\ud800'}`;
  const { value } = parse(text);
  expect(value).toEqual({ "\ufffd": "x\ufffdy", pair: "\u{1f600}", list: ["\ufffd"], plain: "\\ud800" });
  const numbered = parse(String.raw`a: "\U0000D800"`);
  expect(numbered.value).toEqual({ a: "\ufffd" });
});
