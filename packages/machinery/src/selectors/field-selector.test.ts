import { describe, expect, test } from "@jest/globals";
import { StatusError } from "../errors/status-error";
import { checkSelectable, type FieldTerm, parseFieldSelector, requiredValue } from "./field-selector";
import type { SelectableField } from "./selectable-field";

const is = (field: string, value: string): FieldTerm => ({ field, operator: "=", value });
const isNot = (field: string, value: string): FieldTerm => ({ field, operator: "!=", value });

describe("a field selector", () => {
  test.each<[string, FieldTerm[]]>([
    ["", []],
    ["=", []],
    ["==,!=,metadata.name=a", [is("metadata.name", "a")]],
    ["=a,b!=", [is("", "a"), isNot("b", "")]],
    ["metadata.name=a", [is("metadata.name", "a")]],
    ["metadata.name==a", [is("metadata.name", "a")]],
    ["metadata.name!=a", [isNot("metadata.name", "a")]],
    ["spec.b=,spec.a=x,", [is("spec.a", "x"), is("spec.b", "")]],
    ["a=x\\,y\\=z\\\\", [is("a", "x,y=z\\")]],
    ["a!=x\\!=y".replace("\\!", "\\\\\\"), [isNot("a", "x\\=y")]],
  ])("%j is read", (query, terms) => {
    expect(parseFieldSelector(query)).toEqual(terms);
  });

  test.each([
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"],
    ["a=b=c", `invalid field selector: "=" in "b=c" must be escaped by '\\'`],
    ["a=b\\c", `invalid field selector: "\\\\c" in "b\\\\c" must be escaped by '\\'`],
    ["a=b\\", `invalid field selector: "\\\\" in "b\\\\" must be escaped by '\\'`],
  ])("%j is refused", (query, message) => {
    expect(() => parseFieldSelector(query)).toThrow(new StatusError("BadRequest", message));
  });

  test("may demand one name", () => {
    expect(requiredValue(parseFieldSelector("a=x,metadata.name=n"), "metadata.name")).toBe("n");
    expect(requiredValue(parseFieldSelector("metadata.name!=n"), "metadata.name")).toBeUndefined();
  });
});

describe("a resource", () => {
  const some: SelectableField = { paths: [], type: "string" };
  const phase = { "status.phase": some };
  const ALL = {};
  test.each([
    ["its name and namespace", "metadata.name=a,metadata.namespace=b", { group: "apps", selectableFields: {} }, ALL],
    ["its own fields", "status.phase=a", { group: "", selectableFields: phase }, ALL],
  ])("can be selected by %s", (_what, query, definition, version) => {
    expect(() => checkSelectable(parseFieldSelector(query), definition, version)).not.toThrow();
  });

  test.each([
    ["of the core group", { group: "", selectableFields: {} }, ALL, "field label not supported: status.phase"],
    [
      "with other fields",
      { group: "x", selectableFields: { a: some } },
      ALL,
      "field label not supported: status.phase",
    ],
    [
      "in a version without it",
      { group: "x", selectableFields: phase },
      { fieldLabels: [] },
      "field label not supported: status.phase",
    ],
    [
      "without fields of its own",
      { group: "apps", selectableFields: {} },
      ALL,
      '"status.phase" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ])("%s refuses a field that it does not have", (_what, definition, version, message) => {
    expect(() => checkSelectable(parseFieldSelector("status.phase=a"), definition, version)).toThrow(
      new StatusError("BadRequest", message),
    );
  });
});
