import { describe, expect, test } from "@jest/globals";
import { memberNames, parseJsonPath } from "./json-path";

const OBJECT = {
  spec: { replicas: 3, "a.b": "dotted", list: [1, 2, 3], none: null },
  status: {
    conditions: [
      { type: "Ready", status: "True", since: 5 },
      { type: "Other", status: "False", since: 9 },
    ],
  },
};

describe("a path finds", () => {
  test.each<[string, unknown[]]>([
    [".", [OBJECT]],
    [".spec.replicas", [3]],
    ["spec", []],
    [".spec.missing.deeper", []],
    [".spec.none", [null]],
    [".spec.a\\.b", ["dotted"]],
    [".spec['a.b']", ["dotted"]],
    [".spec['a.b','replicas']", ["dotted", 3]],
    [".spec.list[0]", [1]],
    [".spec.list[-1]", [3]],
    [".spec.list[0,2]", [1, 3]],
    [".spec.list[7]", []],
    [".spec.list[*]", [1, 2, 3]],
    [".spec.list[1:]", [2, 3]],
    [".spec.list[:-1]", [1, 2]],
    [".spec.list[::2]", [1, 3]],
    [".status.conditions[*].type", ["Ready", "Other"]],
    ['.status.conditions[?(@.type=="Ready")].status', ["True"]],
    [".status.conditions[?(@.type != 'Ready')].status", ["False"]],
    [".status.conditions[?( @.since > 5 )].type", ["Other"]],
    [".status.conditions[?(@.missing)].type", []],
    [".status.conditions[?(@.since)].type", ["Ready", "Other"]],
    ["..type", ["Ready", "Other"]],
    [".toString", []],
  ])("%s", (path, expected) => expect(parseJsonPath(path)?.find(OBJECT) ?? []).toEqual(expected));
});

test.each([".spec[", ".spec[?(@.a", ".a b", ".spec.['x", ".list[x]", ".a[?(@.b==)]", ".", ".a..", "..."])(
  "%s is read to its end, whatever it is",
  (path) => {
    const found = parseJsonPath(path)?.find({ a: 1 });
    expect(found === undefined || Array.isArray(found)).toBe(true);
  },
);

test("a search ends, whatever the path", () => {
  let nested: object = {};
  for (let depth = 0; depth < 500; depth += 1) nested = { a: nested, b: [1, 2, 3] };
  expect(parseJsonPath("..a..a..a..b[*]")?.find(nested as never)).toEqual([]);
});

test.each([
  [".spec.replicas", ["spec", "replicas"]],
  [".spec['a.b']", ["spec", "a.b"]],
  [".spec.list[0]", undefined],
  [".spec[*]", undefined],
])("%s as names of members", (path, names) => expect(memberNames(path)).toEqual(names));
