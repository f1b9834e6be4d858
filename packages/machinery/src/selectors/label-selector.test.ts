import { describe, expect, test } from "@jest/globals";
import { StatusError } from "../errors/status-error";
import { type Labels, labelSelectorOfObject, labelSelectorText, parseLabelSelector } from "./label-selector";
import { labelSelectorErrors } from "./label-selector-validation";

const matches = (query: string, labels: Labels) => parseLabelSelector(query)?.matches(labels) ?? true;

describe("a label query", () => {
  test.each<[string, Labels[], Labels[]]>([
    ["", [{}, { a: "b" }], []],
    ["a", [{ a: "" }, { a: "x" }], [{}, { b: "a" }]],
    ["!a", [{}, { b: "a" }], [{ a: "" }]],
    ["a=x", [{ a: "x" }], [{}, { a: "y" }]],
    ["a==x", [{ a: "x" }], [{}, { a: "y" }]],
    ["a=", [{ a: "" }], [{}, { a: "y" }]],
    ["a!=x", [{}, { a: "y" }], [{ a: "x" }]],
    ["a in (x,y)", [{ a: "x" }, { a: "y" }], [{}, { a: "z" }]],
    ["a in (x,)", [{ a: "x" }, { a: "" }], [{}, { a: "z" }]],
    ["a notin (x,y)", [{}, { a: "z" }], [{ a: "x" }, { a: "y" }]],
    ["a notin (x)", [{}, { a: "z" }], [{ a: "x" }]],
    ["a>5", [{ a: "6" }, { a: "100" }], [{}, { a: "5" }, { a: "x" }, { a: "" }]],
    ["a<5", [{ a: "4" }, { a: "04" }], [{}, { a: "5" }, { a: "x" }]],
    [
      "a<9223372036854775807",
      [{ a: "9223372036854775806" }],
      [{ a: "9223372036854775807" }, { a: "9223372036854775808" }],
    ],
    ["a=x,b,!c", [{ a: "x", b: "" }], [{ a: "x" }, { a: "x", b: "", c: "" }]],
    [" a = x , b in ( y , z ) ", [{ a: "x", b: "z" }], [{ a: "x" }]],
    ["in in (notin)", [{ in: "notin" }], [{}]],
    ["notin", [{ notin: "" }], [{}]],
    ["a in ()", [{ a: "" }], [{ a: "x" }, {}]],
    ["a notin ( ),b", [{ a: "x", b: "" }, { b: "" }], [{ a: "", b: "" }]],
    ["example.com/a=x", [{ "example.com/a": "x" }], [{ a: "x" }]],
    ["constructor", [{ constructor: "x" } as unknown as Labels], [{}]],
    ["!constructor", [{}], [{ constructor: "x" } as unknown as Labels]],
  ])("%j selects what it says", (query, selected, others) => {
    for (const labels of selected) expect([labels, matches(query, labels)]).toEqual([labels, true]);
    for (const labels of others) expect([labels, matches(query, labels)]).toEqual([labels, false]);
  });

  test.each([
    ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, >, <"],
    ["a=b c", "found 'c', expected: ',' or 'end of string'"],
    ["a,", "found '', expected: identifier after ','"],
    [",a", "found ',', expected: !, identifier, or 'end of string'"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["a in x", "unable to parse requirement: found 'x', expected: '('"],
    ["a in (x", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["a in (x y)", "unable to parse requirement: found 'y', expected: ',' or ')'"],
    ["a>x", "unable to parse requirement: for 'Gt', 'Lt' operators, the value must be an integer"],
    ["a>", "unable to parse requirement: for 'Gt', 'Lt' operators, the value must be an integer"],
    ["a==(", "unable to parse requirement: found '(', expected: identifier"],
  ])("%j is refused: %s", (query, message) => {
    expect(() => parseLabelSelector(query)).toThrow(new StatusError("BadRequest", message));
  });

  test.each([
    ["a/b/c", /^unable to parse requirement: invalid label key "a\/b\/c": /],
    ["a=-", /^unable to parse requirement: invalid label value "-" at key "a": /],
    ["a in (x,-)", /^unable to parse requirement: invalid label value "-" at key "a": /],
  ])("%j is refused for what a label may hold", (query, message) => {
    expect(() => parseLabelSelector(query)).toThrow(message);
  });

  test.each([
    ["b,a=x", "a=x,b"],
    ["a in (z,y,z), !b", "a in (y,z),!b"],
    ["a == x , c!=y,b>5", "a==x,b>5,c!=y"],
    ["a in ( )", "a in ()"],
    ["", ""],
  ])("%j is written as %j", (query, canonical) => {
    const selector = parseLabelSelector(query);
    expect(labelSelectorText(selector)).toBe(canonical);
    expect(labelSelectorText(parseLabelSelector(canonical))).toBe(canonical);
  });
});

describe("a selector object", () => {
  test("demands all of its labels and expressions", () => {
    const { matches, requirements } = labelSelectorOfObject({
      matchLabels: { a: "x" },
      matchExpressions: [
        { key: "b", operator: "In", values: ["y", "z"] },
        { key: "c", operator: "DoesNotExist" },
        { key: "d", operator: "Exists" },
        { key: "e", operator: "NotIn", values: ["q"] },
      ],
    });
    expect(matches({ a: "x", b: "y", d: "" })).toBe(true);
    expect(matches({ a: "x", b: "y", d: "", c: "" })).toBe(false);
    expect(matches({ a: "x", b: "y", d: "", e: "q" })).toBe(false);
    expect(matches({ a: "x", b: "x", d: "" })).toBe(false);
    expect(labelSelectorText({ matches, requirements })).toBe("a=x,b in (y,z),!c,d,e notin (q)");
  });

  test("selects everything when it is empty, and nothing when there is none", () => {
    expect(labelSelectorOfObject({}).matches({})).toBe(true);
    expect(labelSelectorOfObject(undefined).matches({})).toBe(false);
  });

  test("is told of every broken rule", () => {
    const errors = labelSelectorErrors(
      {
        matchLabels: { "a b": "-" },
        matchExpressions: [
          { key: "a", operator: "In" },
          { key: "a", operator: "Exists", values: ["x"] },
          { key: "a b", operator: "Like" },
          { key: "a", operator: "NotIn", values: ["any value, unchecked"] },
        ],
      },
      "spec.selector",
    );
    expect(errors.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      "Invalid spec.selector.matchLabels",
      "Invalid spec.selector.matchLabels",
      "Required spec.selector.matchExpressions[0].values",
      "Forbidden spec.selector.matchExpressions[1].values",
      "Invalid spec.selector.matchExpressions[2].operator",
      "Invalid spec.selector.matchExpressions[2].key",
    ]);
  });
});
