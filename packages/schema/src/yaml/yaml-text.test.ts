import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import type { JsonValue } from "../json/json-value";
import { yamlItems, yamlText } from "./yaml-text";

const VALUES: readonly (readonly [string, JsonValue])[] = [
  ["nothing", {}],
  ["empty values", { a: {}, b: [], c: "", d: null, e: [[], {}, ""] }],
  ["numbers and booleans", { a: 0, b: -1.5, c: true, d: false, e: 9007199254740991 }],
  [
    "lists in lists",
    [
      [1, [2, { a: [3] }]],
      [{ b: { c: [] } }, { d: [{ e: 1, f: 2 }] }],
    ],
  ],
  ["objects in lists", { items: [{ b: 1, a: { c: [1, 2] } }, { a: "x" }] }],
  ...[
    "yes",
    "No",
    "on",
    "~",
    "null",
    "true",
    "1",
    "0x1F",
    "1e3",
    "1:30",
    ".inf",
    ".NaN",
    ".5",
    ".e5",
    "2020-01-01T00:00:00Z",
    "-",
    "- a",
  ].map((text) => [`text that looks like something else: ${text}`, { a: text, [text]: "a" }] as [string, JsonValue]),
  ...[
    "a: b",
    "a #b",
    "#a",
    "a:",
    " a",
    "a ",
    "*a",
    "&a",
    "!a",
    "{a",
    "[a",
    "%a",
    "`a",
    "@a",
    '"',
    "'",
    "\\",
    "a\tb",
    "=",
    "<<",
  ].map((text) => [`text with marks: ${JSON.stringify(text)}`, { a: text, [text]: [text] }] as [string, JsonValue]),
  ...[
    "a\nb",
    "a\nb\n",
    "a\n\n\nb\n\n\n",
    "\n",
    "\na",
    " a\nb",
    "a\n  b\n c",
    "a \nb\t\n",
    "a\r\nb",
    "a\n---\nb",
    "a\n# b\n: c",
  ].map(
    (text) =>
      [`text of several lines: ${JSON.stringify(text)}`, { a: text, b: [text, { c: text, d: 1 }], z: 1 }] as [
        string,
        JsonValue,
      ],
  ),
  ["characters of all kinds", { a: "\u0000\u007f\u0085\u2028\ufeffß漢😀", b: "ß\n漢\n", c: "😀\nx", d: "\ud800" }],
  ["a long key", { [`k${"x".repeat(1500)}`]: { a: 1 }, b: `${"word ".repeat(300)}end` }],
];

describe("YAML text", () => {
  test.each(VALUES)("the YAML text of %s is read back unchanged", (_what, value) => {
    const text = yamlText(value);
    expect(parse(text, { version: "1.1" })).toEqual(value);
    expect(parse(text, { version: "1.2" })).toEqual(value);
    expect(parse(`items:\n${yamlItems([value, value])}z: 1\n`)).toEqual({ items: [value, value], z: 1 });
  });

  test("deeply nested values are written in one line", () => {
    let value: JsonValue = [Array.from({ length: 20_000 }, () => "a\u2028"), `a${"\n".repeat(20_000)}b`];
    for (let level = 0; level < 900; level += 1) value = { a: value };
    expect(JSON.parse(yamlText(value))).toEqual(value);
    expect(yamlText(value)).not.toContain("\u2028");
    expect(yamlItems([value, 1]).split("\n", 2)).toEqual([expect.stringMatching(/^- \{"a":/), "- 1"]);
  });

  test("values of too many lines are written in one line", () => {
    const value = { a: `a${"\n".repeat(100_001)}b`, c: "d" };
    expect(yamlText(value)).toBe(`a: ${JSON.stringify(value.a)}\nc: d\n`);
    expect(yamlText({ a: `a${"\nx".repeat(1000)}` })).toMatch(/^a: \|-\n {2}a\n {2}x\n/);
  });

  test("names that begin with a dot have no quotes, unless they are numbers", () => {
    expect(yamlText({ ".dockerconfigjson": ".a", ".Inf": ".5" })).toBe('".Inf": ".5"\n.dockerconfigjson: .a\n');
  });

  test("is in the form that people write", () => {
    const pod = {
      kind: "Pod",
      apiVersion: "v1",
      spec: { containers: [{ name: "a", args: ["-x", "80"] }] },
      m: "x\ny\n",
    };
    expect(yamlText(pod)).toBe(
      'apiVersion: v1\nkind: Pod\nm: |\n  x\n  y\nspec:\n  containers:\n  - args:\n    - "-x"\n    - "80"\n    name: a\n',
    );
  });
});
