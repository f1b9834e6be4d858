import { describe, expect, test } from "@jest/globals";
import { JsonError, parseJson } from "../index";

function failure(text: string): JsonError {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error("parsed");
}

describe("malformed text", () => {
  test.each([
    ["", "expected a value, the text ends (line 1, column 1)"],
    ["{", "expected a key in double quotes, the text ends (line 1, column 2)"],
    ['{"a":1,}', 'expected a key in double quotes, found "}" (line 1, column 8)'],
    ["[1,]", 'expected a value, found "]" (line 1, column 4)'],
    ['{"a" 1}', 'expected ":" after the key, found "1" (line 1, column 6)'],
    ['{"a":1 "b":2}', 'expected "," or "}", found "\\"b" (line 1, column 8)'],
    ['{\n  "a": tru\n}', 'unexpected "tru" (line 2, column 8)'],
    ["{} {}", "text goes on after the end of the value (line 1, column 4)"],
    ['{"a":"b', "a string that is not closed (line 1, column 6)"],
    ['["a\\x"]', "a string with a wrong escape or a control character (line 1, column 2)"],
    ["[01]", 'unexpected "01" (line 1, column 2)'],
    ["{'a':1}", 'unexpected "\'a" (line 1, column 2)'],
    ["[NaN]", 'unexpected "NaN" (line 1, column 2)'],
  ])("%j: %s", (text, message) => expect(failure(text).message).toBe(message));

  test("is told apart from text that is nested too deep", () => {
    expect(failure("[").reason).toBe("syntax");
    expect(failure("[".repeat(100_000))).toMatchObject({ reason: "depth", offset: 1_000 });
    expect(failure(`${"[".repeat(1_001)}${"]".repeat(1_001)}`)).toMatchObject({ reason: "depth", offset: 1_000 });
  });
});

describe("deep nesting", () => {
  test.each([
    ["lists", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["lists that are not closed", "[".repeat(100_000)],
    ["objects that are not closed", '{"a":'.repeat(100_000)],
  ])("deep nesting of %s is an error, not a stack overflow", (_what, text) => {
    expect(failure(text)).toBeInstanceOf(JsonError);
  });

  test("up to the bound is fine, and brackets in strings do not count", () => {
    const deepest = `${"[".repeat(1_000)}${"]".repeat(1_000)}`;
    expect(JSON.stringify(parseJson(deepest).value)).toBe(deepest);
    expect(parseJson(JSON.stringify([`\\"${"[".repeat(5_000)}`])).problems).toEqual([]);
    expect(() => parseJson("[[[]]]", { maxDepth: 2 })).toThrow("nested deeper than 2 levels");
  });
});

describe("keys that an object has twice", () => {
  test.each([
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":{"b":[{"c":1},{"c":1,"d":2,"c":3}]}}', ["a.b[1].c"]],
    ['{"a":{"x":1,"x":2},"b":{"x":1},"a":3}', ["a.x", "a"]],
    ['{"a\\u0062":1,"ab":2}', ["ab"]],
    ['{"a":":","b":"{\\":\\"}"}', []],
  ])("%s: %j", (text, paths) => {
    expect(parseJson(text, { duplicates: "collect" }).problems).toEqual(
      paths.map((path) => ({ kind: "duplicateField", path })),
    );
  });

  test("are told up to a bound, so that paths as long as the text is deep do not fill the memory", () => {
    const text = `${'{"a":'.repeat(900)}{${'"b":1,'.repeat(400_000)}"b":1}${"}".repeat(900)}`;
    const { problems } = parseJson(text, { duplicates: "collect" });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toBe(`${"a.".repeat(900)}b`);
  });

  test("are not looked for unless asked, and the last one counts", () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ value: { a: 2 }, problems: [] });
  });
});

describe("the key __proto__", () => {
  test.each(['{"spec":{"__proto__":{"admin":true}},"b":[{"__proto__":1}]}', '{"\\u005f_proto__":{"admin":true}}'])(
    "is one like any other: %s",
    (text) => {
      const { value, problems } = parseJson(text);
      expect(JSON.stringify(value)).toBe(text.replace("\\u005f", "_"));
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
      expect(problems).toEqual([]);
    },
  );

  test("may be there twice", () => {
    const { value, problems } = parseJson('{"a":{"__proto__":1,"__proto__":2}}', { duplicates: "collect" });
    expect(JSON.stringify(value)).toBe('{"a":{"__proto__":2}}');
    expect(problems).toEqual([{ kind: "duplicateField", path: "a.__proto__" }]);
  });
});

test("bytes are read as UTF-8", () => {
  expect(parseJson(new TextEncoder().encode('{"a":"grün"}')).value).toEqual({ a: "grün" });
});
