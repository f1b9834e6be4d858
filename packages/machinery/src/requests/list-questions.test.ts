import { describe, expect, test } from "@jest/globals";
import { type FieldTree, PATHS_MAX, STEPS_MAX } from "./field-paths";
import { parseCount, parseFields, parseSortBy, requireQuestions } from "./list-questions";

const query = (text: string) => new URLSearchParams(text);

/** The tree as nested lists of names; `*` stands for the items of a list. */
function outline({ members, items }: FieldTree): object {
  return {
    ...Object.fromEntries([...members].map(([name, tree]) => [name, outline(tree)])),
    ...(items && { "*": outline(items) }),
  };
}

describe("the parameter fields", () => {
  test.each<[string, object]>([
    [".metadata.name", { metadata: { name: {} } }],
    [".a.b,.a.c,.d", { a: { b: {}, c: {} }, d: {} }],
    [".metadata.labels['example.com/a.b,c']", { metadata: { labels: { "example.com/a.b,c": {} } } }],
    ["['spec'].list[*].name", { spec: { list: { "*": { name: {} } } } }],
    [".__proto__.x", { ["__proto__"]: { x: {} } }],
  ])("reads %s", (text, expected) => {
    const tree = parseFields(query(`fields=${encodeURIComponent(text)}`));
    expect(JSON.stringify(outline(tree as FieldTree))).toBe(JSON.stringify(expected));
  });

  test("selects the whole value, also when a longer path is there too", () => {
    const tree = parseFields(query("fields=.spec,.spec.a"));
    expect(tree?.members.get("spec")?.whole).toBe(true);
  });

  test("may be repeated", () => {
    expect(outline(parseFields(query("fields=.a&fields=.b")) as FieldTree)).toEqual({ a: {}, b: {} });
  });

  test("is absent from other queries", () => expect(parseFields(query("limit=1"))).toBeUndefined());

  test.each<[string, RegExp]>([
    ["", /^fields: must name a field/],
    ["metadata.name", /^fields: "metadata\.name": unexpected "m" at position 0: use the steps of a path/],
    [".a,", /^fields: "\.a,": unexpected "," at position 2/],
    [".a..b", /unexpected "\." at position 2/],
    [".a,,.b", /unexpected "," at position 3/],
    [".a[0]", /unexpected "\[" at position 2/],
    [".a['b", /unexpected "\[" at position 2/],
    [".labels.x\\.y", /unexpected "\\\\" at position 9/],
    ["[*].a", /an object is not a list: begin with \.name/],
    [".a".repeat(STEPS_MAX + 1), /a path has at most 16 steps/],
    [Array.from({ length: PATHS_MAX + 1 }, (_, at) => `.a${at}`).join(), /^fields: has more than 64 paths/],
  ])("refuses %s", (text, message) => {
    expect(() => parseFields(query(`fields=${encodeURIComponent(text)}`))).toThrow(message);
  });
});

test("the parameter sortBy is one path, descending after a hyphen", () => {
  expect(parseSortBy(query("sortBy=.metadata.name"))).toEqual({
    path: ["metadata", "name"],
    descending: false,
    text: ".metadata.name",
  });
  expect(parseSortBy(query("sortBy=-.spec.size"))).toMatchObject({ path: ["spec", "size"], descending: true });
  expect(parseSortBy(query(""))).toBeUndefined();
  expect(() => parseSortBy(query("sortBy=.a,.b"))).toThrow("sortBy: must be one path");
  expect(() => parseSortBy(query("sortBy=.a[*].b"))).toThrow("the path must lead to one");
  expect(() => parseSortBy(query("sortBy="))).toThrow("sortBy: must name a field");
  expect(() => parseSortBy(query("sortBy=.a&sortBy=.b"))).toThrow("sortBy: is given twice");
});

test("the parameter count is true or false", () => {
  expect(parseCount(query("count=true"))).toBe(true);
  expect(parseCount(query("count=false"))).toBe(false);
  expect(parseCount(query(""))).toBe(false);
  for (const value of ["", "1", "yes", "True"]) {
    expect(() => parseCount(query(`count=${value}`))).toThrow("must be true or false");
  }
});

describe("a parameter of the family", () => {
  test.each([
    "Count",
    "COUNT",
    "counts",
    "field",
    "Fields",
    "sortby",
    "SortBy",
    "sort-by",
    "sort_by",
    "sort",
    "orderBy",
    "History",
  ])("that is written as %s is refused with the right name", (name) => {
    expect(() => requireQuestions(query(`${name}=true`), "list")).toThrow(
      new RegExp(`^${name}: is not a parameter of this server; write (count|fields|history|sortBy)$`),
    );
  });

  test.each(["fieldSelector", "fieldManager", "fieldValidation", "pretty", "foo", "sortable", "x".repeat(100)])(
    "is not seen in %s",
    (name) => expect(() => requireQuestions(query(`${name}=x`), "create")).not.toThrow(),
  );

  test("is refused by a verb that does not understand it", () => {
    expect(() => requireQuestions(query("fields=.a"), "get")).not.toThrow();
    expect(() => requireQuestions(query("fields=.a"), "watch")).toThrow(
      "fields: is understood by get and list, not by watch; remove it",
    );
    expect(() => requireQuestions(query("count=true"), "deletecollection")).toThrow("count: is understood by list");
    expect(() => requireQuestions(query("history=deleted"), "watch")).toThrow(
      "history: is understood by list, not by watch",
    );
    expect(() => requireQuestions(query("sortBy=.a"), "get")).toThrow("sortBy: is understood by list");
  });
});
