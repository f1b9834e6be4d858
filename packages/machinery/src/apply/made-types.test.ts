// How values merge that only types made at run time can speak of: nulls that are values, and members that nobody declared.
import { expect, test } from "@jest/globals";
import { madeStruct, type RuntimeType, StructObjectType } from "@orch/schema";
import { ManagerSession } from "./testing/manager-session";
import { map, TEXT, versionsOf } from "./testing/sample-types";

const METADATA = madeStruct({ name: "m", fields: [{ name: "managedFields", type: { kind: "any" } }] });
const KEPT = madeStruct({ name: "s", fields: [{ name: "known", type: TEXT }], keepsUnknownFields: true });
const SPEC = madeStruct({
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
    madeStruct({ name: "Sample", isRoot: true, validatesLater: true, fields }),
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
])("%s: members that nobody declared are owned one by one: %s", (field, merges) => {
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
