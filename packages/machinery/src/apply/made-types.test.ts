// Merging of values that only types created at run time have: nulls that are values, and undeclared members.
import { describe, expect, test } from "@jest/globals";
import { dynamicStruct, type JsonObject, type JsonValue, type RuntimeType, StructObjectType } from "@orch/schema";
import { ManagerSession } from "./testing/manager-session";
import { map, TEXT, versionsOf } from "./testing/sample-types";

const METADATA = dynamicStruct({ name: "m", fields: [{ name: "managedFields", type: { kind: "any" } }] });
const KEPT = dynamicStruct({ name: "s", fields: [{ name: "known", type: TEXT }], keepsUnknownFields: true });
const SPEC = dynamicStruct({
  name: "s",
  validatesLater: true,
  fields: [
    { name: "plain", type: TEXT },
    { name: "nullable", type: TEXT, nullable: true },
    { name: "struct", type: KEPT, nullable: true },
    { name: "merged", type: { kind: "any", merges: true } },
    { name: "whole", type: { kind: "any" } },
    { name: "atomic", type: map(TEXT, "atomic") },
  ],
});

function session(spec: RuntimeType = SPEC): ManagerSession {
  const fields = [
    { name: "metadata", type: METADATA },
    { name: "spec", type: spec },
  ];
  const type = new StructObjectType(
    "Sample",
    dynamicStruct({ name: "Sample", isRoot: true, validatesLater: true, fields }),
  );
  return new ManagerSession(versionsOf({ v1: type }));
}

const ownersOf = (of: ManagerSession, path: string): readonly string[] =>
  Object.entries(of.owners()).flatMap(([manager, paths]) => (paths.includes(path) ? [manager] : []));

test("null is applied, owned and fought over where it is a value, and left for rules to refuse where it is none", () => {
  const one = session();
  one.apply("a", { spec: { plain: null, nullable: null } });
  expect(one.get("spec")).toEqual({ plain: null, nullable: null });
  expect(one.owners()["a (Apply)"]).toContain(".spec.nullable");
  expect(() => one.apply("b", { spec: { nullable: "x" } })).toThrow(/conflict with "a": \.spec\.nullable/);
  one.apply("b", { spec: { plain: "x" } }, { force: true });
  one.apply("a", {});
  expect(one.get("spec")).toEqual({ plain: "x" });
});

describe("null in the place of a value that it cannot replace is left for rules to refuse", () => {
  const INNER = dynamicStruct({ name: "i", validatesLater: true, fields: [{ name: "a", type: TEXT }] });
  const LIST = { kind: "list", element: TEXT, relation: "set", keys: [] } as const;
  const spec = dynamicStruct({
    name: "s",
    validatesLater: true,
    fields: [
      { name: "text", type: TEXT },
      { name: "struct", type: INNER },
      { name: "map", type: map(TEXT) },
      { name: "set", type: LIST },
      { name: "open", type: { kind: "any", merges: true } },
      { name: "filled", type: TEXT, default: "d" },
      { name: "unowned", type: TEXT, default: "d" },
    ],
  });

  test.each<[string, JsonValue, JsonValue]>([
    ["text", "x", null],
    ["struct", { a: "x" }, null],
    ["struct", {}, null],
    ["map", { a: "x" }, null],
    ["set", ["x"], null],
    ["filled", "x", "d"],
    ["open", { a: "x" }, null],
  ])("%s", (name, value, expected) => {
    const one = session(spec);
    one.apply("a", { spec: { [name]: value } });
    one.apply("a", { spec: { [name]: null } });
    expect(one.get("spec")).toEqual({ filled: "d", unowned: "d", [name]: expected });
  });

  test("unowned members stay", () => {
    const one = session(spec);
    one.apply("a", { spec: { text: "x" } });
    one.apply("a", { spec: null });
    expect(one.get("spec")).toEqual({ filled: "d", unowned: "d" });
  });
});

test("a value takes the place of a null that is one, and null that of a value", () => {
  const one = session();
  one.update("a", (object) => Object.assign(object, { spec: { nullable: null } }));
  one.update("b", (object) => Object.assign(object, { spec: { nullable: "x" } }));
  expect(ownersOf(one, ".spec.nullable")).toEqual(["b (Update)"]);
  one.update("c", (object) => Object.assign(object, { spec: { nullable: null } }));
  expect(one.get("spec")).toEqual({ nullable: null });
  expect(ownersOf(one, ".spec.nullable")).toEqual(["c (Update)"]);
});

test.each<[string, boolean]>([
  ["merged", true],
  ["struct", true],
  ["whole", false],
  ["atomic", false],
])("%s: undeclared members are owned one by one: %s", (field, merges) => {
  const one = session();
  one.apply("a", { spec: { [field]: { x: "1" } } });
  const apply = () => one.apply("b", { spec: { [field]: { y: "2" } } });
  if (!merges) {
    expect(apply).toThrow(/conflict with "a"/);
    return;
  }
  apply();
  expect(one.get("spec")).toEqual({ [field]: { x: "1", y: "2" } });
  one.apply("a", {});
  expect(one.get("spec")).toEqual({ [field]: { y: "2" } });
});

describe("null takes the place of a value that only its applier owns", () => {
  const INNER = dynamicStruct({
    name: "i",
    validatesLater: true,
    fields: [
      { name: "a", type: TEXT },
      { name: "b", type: TEXT },
      { name: "withDefault", type: TEXT, default: "x" },
    ],
  });
  const LIST = { kind: "list", element: TEXT, relation: "set", keys: [], nulls: { are: "values" } } as const;
  const ITEM = dynamicStruct({
    name: "t",
    validatesLater: true,
    fields: [
      { name: "k", type: TEXT },
      { name: "inner", type: INNER, nullable: true },
    ],
  });
  const TYPES: readonly { readonly name: string; readonly type: RuntimeType }[] = [
    { name: "struct", type: INNER },
    { name: "map", type: map(TEXT) },
    { name: "set", type: LIST },
    { name: "keyed", type: { kind: "list", element: ITEM, relation: "map", keys: ["k"] } },
    { name: "merged", type: { kind: "any", merges: true } },
    { name: "entries", type: { ...map(INNER), nulls: { are: "values" } } },
  ];
  const NULLABLE = dynamicStruct({
    name: "s",
    validatesLater: true,
    fields: TYPES.map((field) => ({ ...field, nullable: true })),
  });

  test.each<[JsonObject, JsonObject, JsonObject]>([
    [{ struct: { a: "1" } }, { struct: null }, { struct: null }],
    [{ struct: { a: "1" } }, { struct: {} }, { struct: { withDefault: "x" } }],
    [{ struct: null }, { struct: { a: "1" } }, { struct: { a: "1", withDefault: "x" } }],
    [{ map: { a: "1" } }, { map: null }, { map: null }],
    [{ map: { a: "1" } }, { map: {} }, { map: {} }],
    [{ map: null }, { map: {} }, { map: {} }],
    [{ set: ["a"] }, { set: null }, { set: null }],
    [{ keyed: [{ k: "a" }] }, { keyed: null }, { keyed: null }],
    [
      { keyed: [{ k: "a", inner: { a: "1" } }, { k: "b" }] },
      { keyed: [{ k: "a", inner: null }, { k: "b" }] },
      { keyed: [{ k: "a", inner: null }, { k: "b" }] },
    ],
    [{ merged: { a: "1" } }, { merged: null }, { merged: null }],
    [{ merged: { a: { b: "1" } } }, { merged: { a: null } }, { merged: { a: null } }],
    [{ entries: { a: { a: "1" } } }, { entries: { a: null } }, { entries: { a: null } }],
  ])("%j, then %j", (first, second, expected) => {
    const one = session(NULLABLE);
    one.apply("a", { spec: first });
    one.apply("a", { spec: second });
    expect(one.get("spec")).toEqual(expected);
    expect(one.apply("a", { spec: second })).toBe(false);
  });

  test.each<[JsonObject, JsonObject, JsonObject]>([
    [{ struct: { a: "1" } }, { struct: { b: "2" } }, { struct: { b: "2", withDefault: "x" } }],
    [{ map: { a: "1" } }, { map: { b: "2" } }, { map: { b: "2" } }],
    [{ set: ["a"] }, { set: ["b"] }, { set: ["b"] }],
    [{ merged: { a: "1" } }, { merged: { b: "2" } }, { merged: { b: "2" } }],
  ])("members owned by another manager stay: %j and %j", (mine, theirs, expected) => {
    const one = session(NULLABLE);
    one.apply("a", { spec: mine });
    one.apply("b", { spec: theirs });
    const [field = ""] = Object.keys(mine);
    one.apply("a", { spec: { [field]: null } });
    expect(one.get("spec")).toEqual(expected);
    one.apply("b", {});
    one.apply("a", { spec: { [field]: null } });
    expect(one.get("spec")).toEqual({ [field]: null });
  });
});
