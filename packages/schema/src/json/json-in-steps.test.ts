import { expect, test } from "@jest/globals";
import { type JsonValue, readJson } from "../index";
import { JsonInSteps, type OmittedMembers, withoutMembers } from "./json-in-steps";

function read(json: string, omitted?: OmittedMembers): { value: JsonValue; steps: number } {
  const reader = new JsonInSteps(Buffer.from(json), omitted);
  let steps = 1;
  while (!reader.step()) steps += 1;
  return { value: reader.value, steps };
}

test.each([
  "null",
  " true ",
  "-0",
  "1.50e3",
  "9007199254740993",
  "[18446744073709551615,-9223372036854775808]",
  '""',
  '"é\\u00e9\\n\\"\\\\ \u{1f600}"',
  '"\\ud800 \\ud83d\\ude00"',
  '"\\\\"',
  "[]",
  "{}",
  '[[],{},[{}],"a",1,[2,[3]]]',
  '{"a":{"b":[1,{"c":null}]},"a":2,"__proto__":{"x":1},"constructor":3,"":4}',
  ' {\n\t"a" : [ 1 , 2 ] ,\r "b" : { } } ',
  '{"\\ud800":1,"\\u0061":2}',
])("%s is read as in one go", (json) => {
  expect(read(json).value).toEqual(readJson(json));
  expect(JSON.stringify(Object.keys(Object(read(json).value)))).toBe(
    JSON.stringify(Object.keys(Object(readJson(json)))),
  );
});

test.each([
  "",
  "{",
  '{"a"',
  '{"a":',
  '{"a":1,}',
  "[1,]",
  '{"a" 1}',
  '{"a":1 "b":2}',
  "tru",
  "{} {}",
  '{"a":"b',
  '"a\\',
  '["a\\x"]',
  '["a\nb"]',
  "[01]",
  "{'a':1}",
  "[NaN]",
  "[1}",
  '{"a":1]',
  "[1e400]",
])("%s is refused", (json) => {
  expect(() => readJson(json)).toThrow(SyntaxError);
  expect(() => read(json)).toThrow(SyntaxError);
});

test("too deep nesting is rejected", () => {
  const deepest = `${"[".repeat(1000)}${"]".repeat(1000)}`;
  expect(JSON.stringify(read(deepest).value)).toBe(deepest);
  expect(() => read(`[${deepest}]`)).toThrow("nested deeper than 1000 levels");
});

test("members are left out by the names that lead to them, through lists", () => {
  const omitted = { items: { metadata: { managedFields: true } }, "a b": true } as const;
  const metadata = { name: "n", managedFields: [{ 'f:"]}': { "f:x,": [1, "}"] } }], labels: { managedFields: "kept" } };
  const kept = { name: "n", labels: { managedFields: "kept" } };
  const given = {
    "a b": 'x,\\"',
    items: [
      { metadata, managedFields: 1 },
      { metadata, spec: { metadata } },
    ],
    metadata,
  };
  expect(read(JSON.stringify(given), omitted).value).toEqual({
    items: [
      { metadata: kept, managedFields: 1 },
      { metadata: kept, spec: { metadata } },
    ],
    metadata,
  });
  expect(withoutMembers(given, omitted)).toEqual(read(JSON.stringify(given), omitted).value);
  expect(read('{"a b":12,"c":{"a b":null}}', omitted).value).toEqual({ c: { "a b": null } });
  expect(() => read('{"a b":{"c"', omitted)).toThrow(SyntaxError);
});

test.each([
  ["quotes", '"'],
  ["backslashes", "\\"],
  ["control characters", "a\u0001"],
  ["characters of several bytes", "aé\u{1f600}"],
  ["escapes and others", '"ab\\\u0002\u{1f600}'],
])("a long text of %s is read piece by piece", (_what, part) => {
  for (const before of ["", "a", "ab", "abc", "abcd", "abcde"]) {
    const text = before + part.repeat(300_000 / part.length);
    const found = read(JSON.stringify([text, "b"]));
    expect(found.value).toEqual([text, "b"]);
    expect(found.steps).toBeGreaterThan(2);
  }
});

test("halves of characters in a long text are replaced, and pairs are kept wherever it is divided", () => {
  for (const before of ["", "a", "ab", "abc", "abcd", "abcde"]) {
    const json = `"${before}${"\\ud83d\\ude00\\ud800".repeat(20_000)}"`;
    expect(read(json).value).toBe(readJson(json));
  }
});

test("a large text is read in many bounded steps", () => {
  const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, at]));
  const json = JSON.stringify({ metadata: { managedFields: keys }, data: keys });
  const whole = read(json);
  expect(JSON.stringify(whole.value)).toBe(json);
  expect(whole.steps).toBeGreaterThan(20);
  const part = read(json, { metadata: { managedFields: true } });
  expect(JSON.stringify(part.value)).toBe(JSON.stringify({ metadata: {}, data: keys }));
  expect(part.steps).toBeGreaterThan(10);
});
