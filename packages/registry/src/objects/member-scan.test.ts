import { expect, test } from "@jest/globals";
import { metadataItems, metadataMember, scalarAt } from "./member-scan";

const AT = '{"metadata":{'.length;

function member(metadata: object, name: string): unknown {
  const text = metadataMember(Buffer.from(JSON.stringify({ metadata, spec: { labels: { of: "spec" } } })), AT, name);
  return text === undefined ? undefined : JSON.parse(text);
}

const awkward = {
  annotations: { 'quoted "labels":{"a":"b"}': 'tail \\" { [ \\\\', labels: "not these" },
  list: [{ labels: { x: "y" } }, [1, [2]]],
  number: -1.5e3,
  nothing: null,
  yes: true,
  labels: { "a/b": "é\u{1f600}", c: "" },
  finalizers: ["x", "y"],
};

test.each(["annotations", "list", "number", "nothing", "yes", "labels", "finalizers"] as const)(
  "finds %s among awkward neighbours",
  (name) => expect(member(awkward, name)).toEqual(awkward[name]),
);

test("does not find what only others have", () => {
  expect(member({ name: "a" }, "labels")).toBeUndefined();
  expect(member({}, "labels")).toBeUndefined();
  expect(member(awkward, "x")).toBeUndefined();
});

const COMPACT = JSON.stringify({
  metadata: awkward,
  spec: {
    nested: { nodeName: "not this" },
    'a"b': 1,
    nodeName: "n1",
    empty: "",
    quoted: 'q"\\\u00e9\n',
    node: "n2",
    is: {},
    n: 5,
  },
});

test.each<[string, readonly string[], string]>([
  ["a text", ["spec", "nodeName"], '"n1"'],
  ["one that another's name begins with", ["spec", "node"], '"n2"'],
  ["a nested one", ["spec", "nested", "nodeName"], '"not this"'],
  ["an empty one", ["spec", "empty"], '""'],
  ["one with escapes", ["spec", "quoted"], '"q\\"\\\\\u00e9\\n"'],
  ["none where there is no such member", ["spec", "absent"], ""],
  ["none where there is nothing around it", ["status", "phase"], ""],
  ["none inside of an empty object", ["spec", "is", "phase"], ""],
  ["none inside of a text", ["spec", "node", "name"], ""],
  ["a number", ["spec", "n"], "5"],
  ["a number that is the last of all", ["metadata", "number"], "-1500"],
  ["a truth value", ["metadata", "yes"], "true"],
  ["none where an object stands", ["spec", "nested"], ""],
  ["none where a list stands", ["metadata", "list"], ""],
])("finds by its path %s", (_what, path, text) => expect(scalarAt(Buffer.from(COMPACT), path)).toBe(text));

test.each<[string, string]>([
  ["line breaks", JSON.stringify({ kind: "Pod", spec: { nodeName: "n1" } }, undefined, 1)],
  ["a space before a value", '{"kind":"Pod","spec":{"nodeName": "n1"}}'],
  ["a space before a colon", '{"kind":"Pod","spec" :{"nodeName":"n1"}}'],
  ["a space before a comma", '{"kind":"Pod" ,"spec":{"nodeName":"n1"}}'],
  ["a space before the object around it", '{"kind":"Pod","spec": {"nodeName":"n1"}}'],
  ["a space before all", ' {"kind":"Pod","spec":{"nodeName":"n1"}}'],
])("leaves to parsing what is not compact: %s", (_what, json) => {
  expect(scalarAt(Buffer.from(json), ["spec", "nodeName"])).toBeUndefined();
});

test.each(["list", "finalizers", "labels", "absent"] as const)("finds the items of %s", (name) => {
  const found = metadataItems(Buffer.from(JSON.stringify({ metadata: awkward })), AT, name);
  const expected: unknown = (awkward as Record<string, unknown>)[name];
  expect(found.map((item) => JSON.parse(item.toString()))).toEqual(Array.isArray(expected) ? expected : []);
});

test("a list without items has none", () => {
  expect(metadataItems(Buffer.from('{"metadata":{"list":[],"more":[1]}}'), AT, "list")).toEqual([]);
});
