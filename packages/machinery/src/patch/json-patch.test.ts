import { describe, expect, test } from "@jest/globals";
import type { JsonValue } from "@orch/schema";
import type { StatusError } from "../errors/status-error";
import { ManyValuesError } from "../resources/resource-definition";
import { applyJsonPatch } from "./json-patch";
import { readJsonPatch } from "./json-patch-operation";

const LIMITS = { copyMaxBytes: 1000 };

function patched(document: JsonValue, patch: JsonValue): JsonValue {
  return applyJsonPatch(document, readJsonPatch(patch), LIMITS);
}

function codeOf(action: () => unknown): number {
  try {
    action();
  } catch (error) {
    return (error as StatusError).code;
  }
  return 0;
}

test.each<[string, JsonValue, JsonValue, JsonValue]>([
  ["A.1 adds a member", { foo: "bar" }, [{ op: "add", path: "/baz", value: "qux" }], { baz: "qux", foo: "bar" }],
  [
    "A.2 adds an item",
    { foo: ["bar", "baz"] },
    [{ op: "add", path: "/foo/1", value: "qux" }],
    { foo: ["bar", "qux", "baz"] },
  ],
  ["A.3 removes a member", { baz: "qux", foo: "bar" }, [{ op: "remove", path: "/baz" }], { foo: "bar" }],
  ["A.4 removes an item", { foo: ["bar", "qux", "baz"] }, [{ op: "remove", path: "/foo/1" }], { foo: ["bar", "baz"] }],
  [
    "A.5 replaces a value",
    { baz: "qux", foo: "bar" },
    [{ op: "replace", path: "/baz", value: "boo" }],
    { baz: "boo", foo: "bar" },
  ],
  [
    "A.6 moves a value",
    { foo: { bar: "baz", waldo: "fred" }, qux: { corge: "grault" } },
    [{ op: "move", from: "/foo/waldo", path: "/qux/thud" }],
    { foo: { bar: "baz" }, qux: { corge: "grault", thud: "fred" } },
  ],
  [
    "A.7 moves an item",
    { foo: ["all", "grass", "cows", "eat"] },
    [{ op: "move", from: "/foo/1", path: "/foo/3" }],
    { foo: ["all", "cows", "eat", "grass"] },
  ],
  [
    "A.8 tests a value",
    { baz: "qux", foo: ["a", 2, "c"] },
    [
      { op: "test", path: "/baz", value: "qux" },
      { op: "test", path: "/foo/1", value: 2 },
    ],
    { baz: "qux", foo: ["a", 2, "c"] },
  ],
  [
    "A.10 adds a nested object",
    { foo: "bar" },
    [{ op: "add", path: "/child", value: { grandchild: {} } }],
    { foo: "bar", child: { grandchild: {} } },
  ],
  [
    "A.11 ignores members that it does not know",
    { foo: "bar" },
    [{ op: "add", path: "/baz", value: "qux", xyz: 123 }],
    { foo: "bar", baz: "qux" },
  ],
  ["A.14 unescapes ~", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: 10 }], { "/": 9, "~1": 10 }],
  [
    "A.16 appends a list as an item",
    { foo: ["bar"] },
    [{ op: "add", path: "/foo/-", value: ["abc", "def"] }],
    { foo: ["bar", ["abc", "def"]] },
  ],
  ["replaces the document", { a: 1 }, [{ op: "replace", path: "", value: { b: 2 } }], { b: 2 }],
  [
    "copies a value, not a reference",
    { a: { x: 1 } },
    [
      { op: "copy", from: "/a", path: "/b" },
      { op: "replace", path: "/b/x", value: 2 },
    ],
    { a: { x: 1 }, b: { x: 2 } },
  ],
  ["moves a value onto itself", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
  [
    "tests objects whatever the order",
    { a: { x: 1, y: [] } },
    [{ op: "test", path: "/a", value: { y: [], x: 1 } }],
    { a: { x: 1, y: [] } },
  ],
  ["sets a present value to null", { a: 1 }, [{ op: "add", path: "/a", value: null }], { a: null }],
])("RFC 6902 %s", (_behaviour, document, patch, expected) => {
  const before = structuredClone(document);
  expect(patched(document, patch)).toEqual(expected);
  expect(document).toEqual(before);
});

const LISTS = { l: [1, 2, 3], ll: [[1], [2, 3]] };
test.each<[string, JsonValue, JsonValue, JsonValue]>([
  ["replaces a member that is absent", { a: 1 }, [{ op: "replace", path: "/b", value: 2 }], { a: 1, b: 2 }],
  ["replaces an absent member below", { a: {} }, [{ op: "replace", path: "/a/b", value: 2 }], { a: { b: 2 } }],
  [
    "replaces an absent __proto__",
    {},
    [{ op: "replace", path: "/__proto__", value: 2 }],
    JSON.parse('{"__proto__":2}'),
  ],
  ["tests an absent member against null", { a: 1 }, [{ op: "test", path: "/b", value: null }], { a: 1 }],
  ["tests an absent member below", { a: {} }, [{ op: "test", path: "/a/b", value: null }], { a: {} }],
  ["tests an inherited member against null", {}, [{ op: "test", path: "/toString", value: null }], {}],
  ["tests null against null", { a: null }, [{ op: "test", path: "/a", value: null }], { a: null }],
  ["replaces the last item", LISTS, [{ op: "replace", path: "/l/-1", value: 9 }], { ...LISTS, l: [1, 2, 9] }],
  ["replaces the first item", LISTS, [{ op: "replace", path: "/l/-3", value: 9 }], { ...LISTS, l: [9, 2, 3] }],
  ["removes the last item", LISTS, [{ op: "remove", path: "/l/-1" }], { ...LISTS, l: [1, 2] }],
  ["removes the last item but one", LISTS, [{ op: "remove", path: "/l/-2" }], { ...LISTS, l: [1, 3] }],
  ["adds behind the last item", LISTS, [{ op: "add", path: "/l/-1", value: 9 }], { ...LISTS, l: [1, 2, 3, 9] }],
  ["adds before the last item", LISTS, [{ op: "add", path: "/l/-2", value: 9 }], { ...LISTS, l: [1, 2, 9, 3] }],
  ["adds before the first item", LISTS, [{ op: "add", path: "/l/-4", value: 9 }], { ...LISTS, l: [9, 1, 2, 3] }],
  ["adds to an empty list", { l: [] }, [{ op: "add", path: "/l/-1", value: 9 }], { l: [9] }],
  ["tests the last item", LISTS, [{ op: "test", path: "/l/-1", value: 3 }], LISTS],
  ["tests the first item", LISTS, [{ op: "test", path: "/l/-3", value: 1 }], LISTS],
  [
    "goes through the last item",
    LISTS,
    [{ op: "add", path: "/ll/-1/-2", value: 9 }],
    { ...LISTS, ll: [[1], [2, 9, 3]] },
  ],
  ["copies the last item", LISTS, [{ op: "copy", from: "/l/-1", path: "/l/0" }], { ...LISTS, l: [3, 1, 2, 3] }],
  ["moves the last item", LISTS, [{ op: "move", from: "/l/-1", path: "/l/0" }], { ...LISTS, l: [3, 1, 2] }],
  ["moves an item to the end", LISTS, [{ op: "move", from: "/l/0", path: "/l/-1" }], { ...LISTS, l: [2, 3, 1] }],
  ["takes -1 for a name in an object", { o: {} }, [{ op: "add", path: "/o/-1", value: 9 }], { o: { "-1": 9 } }],
])("a patch, as in Kubernetes, %s", (_behaviour, document, patch, expected) => {
  const before = structuredClone(document);
  expect(JSON.stringify(patched(document, patch))).toBe(JSON.stringify(expected));
  expect(document).toEqual(before);
});

test("a member __proto__ is one like any other", () => {
  const value = patched({ a: { b: 1 } }, [
    { op: "add", path: "/__proto__", value: { c: 1 } },
    { op: "add", path: "/__proto__/d", value: 2 },
    { op: "copy", from: "/__proto__", path: "/a/__proto__" },
    { op: "replace", path: "/__proto__", value: 3 },
    { op: "test", path: "/a/__proto__/d", value: 2 },
    { op: "move", from: "/a/__proto__/d", path: "/a/constructor" },
  ]);
  expect(JSON.stringify(value)).toBe('{"a":{"b":1,"__proto__":{"c":1},"constructor":2},"__proto__":3}');
  expect(JSON.stringify(patched(value, [{ op: "remove", path: "/__proto__" }]))).not.toContain(":3");
  expect(({} as { c?: number }).c).toBeUndefined();
});

describe("nothing becomes deeper than a body may be", () => {
  const nested = (levels: number): JsonValue => (levels === 0 ? {} : { a: nested(levels - 1) });

  test.each<[string, number, JsonValue]>([
    ["by a copy of itself within it", 600, [{ op: "copy", from: "/a", path: `${"/a".repeat(600)}/a` }]],
    [
      "by moves",
      900,
      Array.from({ length: 200 }, (_, at) => [
        { op: "add", path: `/${at}`, value: {} },
        { op: "move", from: at === 0 ? "/a" : `/${at - 1}`, path: `/${at}/a` },
      ]).flat(),
    ],
    ["by what is added at its end", 900, [{ op: "add", path: `${"/a".repeat(900)}/a`, value: nested(200) }]],
  ])("%s", (_way, levels, patch) => {
    expect(codeOf(() => patched(nested(levels), patch))).toBe(422);
  });
});

test("lists are not moved along for ever", () => {
  const list = Array.from({ length: 100_000 }, () => 0);
  const patch = Array.from({ length: 9000 }, () => ({ op: "add", path: "/0", value: 1 }));
  expect(codeOf(() => patched(list, patch))).toBe(413);
});

test.each<[string, JsonValue, JsonValue]>([
  ["A.9 a test that fails", { baz: "qux" }, [{ op: "test", path: "/baz", value: "bar" }]],
  ["A.12 a target that does not exist", { foo: "bar" }, [{ op: "add", path: "/baz/bat", value: "qux" }]],
  // The last of duplicate members is used, so that this operation is not an "add".
  [
    "A.13 an operation with two names",
    { foo: "bar" },
    JSON.parse('[{"op":"add","path":"/baz","value":"qux","op":"remove"}]') as JsonValue,
  ],
  ["A.15 a number is not its text", { "/": 9, "~1": 10 }, [{ op: "test", path: "/~01", value: "10" }]],
  ["an item behind the end", { foo: [1] }, [{ op: "add", path: "/foo/2", value: 1 }]],
  ["a position with a leading zero", { foo: [1, 2] }, [{ op: "replace", path: "/foo/01", value: 1 }]],
  ["a position with a sign", { foo: [1, 2] }, [{ op: "replace", path: "/foo/+1", value: 1 }]],
  ["a position of minus zero", { foo: [1, 2] }, [{ op: "replace", path: "/foo/-0", value: 1 }]],
  ["removal of what is not there", { foo: 1 }, [{ op: "remove", path: "/bar" }]],
  ["replacement below what is not there", { foo: 1 }, [{ op: "replace", path: "/bar/a", value: 1 }]],
  ["replacement below a value", { foo: 1 }, [{ op: "replace", path: "/foo/a", value: 1 }]],
  ["a test below what is not there", { foo: 1 }, [{ op: "test", path: "/bar/a", value: null }]],
  ["a test of a member that is not there", { foo: 1 }, [{ op: "test", path: "/bar", value: 1 }]],
  ["a test of an item that is not there", { foo: [1] }, [{ op: "test", path: "/foo/1", value: null }]],
  ["a test of the item behind the last", { foo: [1] }, [{ op: "test", path: "/foo/-", value: null }]],
  ["a copy of what is not there", { foo: 1 }, [{ op: "copy", from: "/bar", path: "/foo" }]],
  ["a move of what is not there", { foo: 1 }, [{ op: "move", from: "/bar", path: "/foo" }]],
  ["a member that every object inherits", {}, [{ op: "test", path: "/toString", value: {} }]],
  ["a replacement before the front", { foo: [1] }, [{ op: "replace", path: "/foo/-2", value: 1 }]],
  ["a removal before the front", { foo: [1] }, [{ op: "remove", path: "/foo/-2" }]],
  ["a removal from an empty list", { foo: [] }, [{ op: "remove", path: "/foo/-1" }]],
  ["an addition before the front", { foo: [1] }, [{ op: "add", path: "/foo/-3", value: 1 }]],
  ["a test before the front", { foo: [1] }, [{ op: "test", path: "/foo/-2", value: 1 }]],
  ["a member __proto__ that is not there", {}, [{ op: "add", path: "/__proto__/a", value: 1 }]],
  ["a move into itself", { a: { b: 1 } }, [{ op: "move", from: "/a", path: "/a/b" }]],
  [
    "a later operation that fails",
    { a: 1 },
    [
      { op: "remove", path: "/a" },
      { op: "remove", path: "/a" },
    ],
  ],
])("refuses with 422: %s", (_behaviour, document, patch) => {
  expect(codeOf(() => patched(document, patch))).toBe(422);
});

describe("a body that is no JSON patch", () => {
  test.each<[string, JsonValue, number]>([
    ["an object", {}, 400],
    ["an operation that is a text", ["add"], 400],
    ["an operation that is a list", [[]], 400],
    ["an operation that is null", [null], 422],
    ["an empty operation", [{}], 422],
    ["an unknown operation", [{ op: "merge", path: "/a", value: 1 }], 422],
    ["an operation in capitals", [{ op: "ADD", path: "/a", value: 1 }], 422],
    ["no name of the operation", [{ path: "/a", value: 1 }], 422],
    ["no path", [{ op: "remove" }], 422],
    ["a path that is a number", [{ op: "remove", path: 5 }], 422],
    ["a path that is no pointer", [{ op: "remove", path: "a" }], 422],
    ["a wrong escape", [{ op: "remove", path: "/a~2" }], 422],
    ["no value", [{ op: "add", path: "/a" }], 422],
    ["no from", [{ op: "copy", path: "/a" }], 422],
    ["a from that is null", [{ op: "move", path: "/a", from: null }], 422],
  ])("%s", (_behaviour, body, code) => expect(codeOf(() => readJsonPatch(body))).toBe(code));
});

test("more than 10,000 operations are too many", () => {
  const operation = { op: "test", path: "", value: {} };
  expect(codeOf(() => readJsonPatch(new Array(10_001).fill(operation)))).toBe(413);
  expect(readJsonPatch(new Array(10_000).fill(operation))).toHaveLength(10_000);
});

test("copies may not make a document grow without bound", () => {
  const doubling = new Array(30).fill({ op: "copy", from: "/a", path: "/a/-" });
  expect(codeOf(() => patched({ a: ["0123456789"] }, doubling))).toBe(422);
});

test("a patch that copies much is one for another thread, where there is one", () => {
  const operations = readJsonPatch(
    Array.from({ length: 12 }, (_, at) => ({ op: "copy", from: "", path: `/c${at}` })) as JsonValue,
  );
  const applied = (copyBytesHere?: number) => () =>
    applyJsonPatch({ a: "b" }, operations, { copyMaxBytes: 1024 * 1024, copyBytesHere });
  expect(applied(16 * 1024)).toThrow(ManyValuesError);
  expect(applied()).not.toThrow();
});
