// Declared rules of types that the test declares: rules of parts of a value, and which checks are left out.
import { describe, expect, test } from "@jest/globals";
import { field } from "@orch/machinery";
import { type DeclaredField, type JsonObject, vocabularyOf } from "@orch/schema";
import { featuresOf } from "../model/features/features";
import { Place } from "../model/rules/place";
import { Report } from "../model/rules/report";
import { DeclaredChecks } from "./declared-check";

const TYPES: Readonly<Record<string, readonly DeclaredField[]>> = {
  Kind: [
    { name: "meta", rules: [{ is: "subfield", field: "name", of: { is: "maxLength", limit: 3 } }] },
    { name: "parent", rules: [{ is: "subfield", field: "uid", of: { is: "immutable" } }] },
    { name: "mode", rules: [{ is: "neq", value: "none" }] },
    { name: "counts", shape: "list", rules: [{ is: "eachVal", of: { is: "neq", value: 0 } }] },
  ],
  Tree: [
    { name: "size", rules: [{ is: "minimum", limit: 1 }] },
    { name: "left", pointer: true, type: "test/v1.Tree" },
  ],
  Choice: [
    { name: "one", pointer: true, type: "test/v1.Tree", rules: [{ is: "unlessSet", field: "many" }] },
    { name: "many", shape: "list", type: "test/v1.Tree", rules: [{ is: "unlessSet", field: "one" }] },
  ],
  Later: [{ name: "spec", since: "1.30", type: "test/v1.Tree" }],
  Coded: [{ name: "name", rules: [{ is: "immutable", inCode: true }] }],
};

const features = featuresOf("1.29");
const fieldsOf = (_: string, type: string) => TYPES[type];

function errorsOf(type: string, object: JsonObject, old?: JsonObject): readonly string[] {
  const report = new Report({ vocabulary: vocabularyOf("orch"), version: { group: "", version: "v1" }, features });
  new DeclaredChecks(features, { fieldsOf }).of(`test/v1.${type}`)?.(object, old, Place.ROOT, report);
  return report.errors.map(field.fieldErrorText);
}

describe("a declared rule", () => {
  test.each<[string, string, JsonObject, JsonObject | undefined, string[]]>([
    ["subfield that holds", "Kind", { meta: { name: "abc" } }, undefined, []],
    ["subfield", "Kind", { meta: { name: "abcd" } }, undefined, ["meta.name: Too long: must have at most 3 bytes"]],
    ["subfield of an absent value", "Kind", {}, undefined, []],
    [
      "subfield of an update",
      "Kind",
      { parent: { uid: "b" } },
      { parent: { uid: "a" } },
      ['parent.uid: Invalid value: "b": field is immutable'],
    ],
    ["subfield that is unchanged", "Kind", { meta: { name: "abcd", a: 1 } }, { meta: { name: "abcd" } }, []],
    ["neq", "Kind", { mode: "none" }, undefined, ['mode: Invalid value: "none": must not be equal to "none"']],
    ["neq of another value", "Kind", { mode: "some" }, undefined, []],
    ["neq of an item", "Kind", { counts: [1, 0] }, undefined, ["counts[1]: Invalid value: 0: must not be equal to 0"]],
    ["unlessSet", "Choice", { one: { size: 0 }, many: [{ size: 0 }] }, undefined, []],
    [
      "unlessSet with an empty list",
      "Choice",
      { one: { size: 0 }, many: [] },
      undefined,
      ["one.size: Invalid value: 0: must be greater than or equal to 1"],
    ],
    [
      "rule of a type that contains itself",
      "Tree",
      { size: 1, left: { size: 0 } },
      undefined,
      ["left.size: Invalid value: 0: must be greater than or equal to 1"],
    ],
  ])("%s reports what is wrong", (_, type, object, old, expected) => {
    expect(errorsOf(type, object, old)).toEqual(expected);
  });
});

test("a type has no check when no rule below it is in force", () => {
  const of = (release: string, type: string) => new DeclaredChecks(featuresOf(release), { fieldsOf }).of(type);
  expect(of("1.29", "test/v1.Later")).toBeUndefined();
  expect(of("1.30", "test/v1.Later")).toBeDefined();
  expect(of("1.30", "test/v1.Coded")).toBeUndefined();
});
