// Tests validation ratcheting: an update may keep values that a newer schema or rule no longer allows.
import { describe, expect, test } from "@jest/globals";
import { ExpressionRules } from "@orch/expressions";
import type { JsonObject, JsonValue } from "@orch/schema";
import { growthOf, LINEAR_MAX } from "@orch/testing";
import { compileSchema, readSchema } from "./compiled-schema";
import { OF_THINGS, ORCH, take, thingSchema } from "./testing/compiled";

const SHORT: JsonObject = { type: "string", maxLength: 3 };
const RULE: JsonObject = { type: "string", "x-orch-validations": [{ rule: "self == 'ok'", message: "is ok" }] };
const BY_NAME: JsonObject = { "x-orch-list-type": "map", "x-orch-list-map-keys": ["name"] };
const item = (value: JsonObject): JsonObject => ({
  type: "object",
  required: ["name"],
  properties: { name: { type: "string" }, value },
});
const struct = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const listOf = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "array", items, ...more });

interface Case {
  readonly schema: JsonObject;
  readonly old: JsonValue;
  readonly value: JsonValue;
  /** Paths of the errors. */
  readonly refused: readonly string[];
}

const CASES: readonly (Case & { readonly title: string })[] = [
  {
    title: "an unchanged field beside a changed one is tolerated",
    schema: struct({ a: SHORT, b: SHORT }),
    old: { a: "too long", b: "x" },
    value: { a: "too long", b: "y" },
    refused: [],
  },
  {
    title: "a changed field is refused",
    schema: struct({ a: SHORT, b: SHORT }),
    old: { a: "too long", b: "too long" },
    value: { a: "too long", b: "as long" },
    refused: ["spec.b"],
  },
  {
    title: "a new field is refused",
    schema: struct({ a: SHORT }),
    old: {},
    value: { a: "too long" },
    refused: ["spec.a"],
  },
  {
    title: "a missing required field of an unchanged object is tolerated",
    schema: struct({ a: struct({ b: SHORT }, { required: ["c"] }), d: SHORT }),
    old: { a: { b: "x" }, d: "x" },
    value: { a: { b: "x" }, d: "y" },
    refused: [],
  },
  {
    title: "a missing required field of a changed object is refused",
    schema: struct({ a: struct({ b: SHORT }, { required: ["c"] }) }),
    old: { a: { b: "x" } },
    value: { a: { b: "y" } },
    refused: ["spec.a.c"],
  },
  {
    title: "an unchanged item of a list of type map is tolerated in another place",
    schema: listOf(item(SHORT), BY_NAME),
    old: [
      { name: "a", value: "too long" },
      { name: "b", value: "x" },
    ],
    value: [{ name: "c" }, { name: "b", value: "y" }, { name: "a", value: "too long" }],
    refused: [],
  },
  {
    title: "a changed item of a list of type map is refused",
    schema: listOf(item(SHORT), BY_NAME),
    old: [{ name: "a", value: "too long" }],
    value: [{ name: "b", value: "too long" }],
    refused: ["spec[0].value"],
  },
  {
    title: "a reordered list of type map is unchanged",
    schema: listOf(item(SHORT), { ...BY_NAME, maxItems: 1 }),
    old: [{ name: "a" }, { name: "b" }],
    value: [{ name: "b" }, { name: "a" }],
    refused: [],
  },
  ...["set", "atomic", undefined].flatMap((type) => {
    const schema = struct({ list: listOf(SHORT, type === undefined ? {} : { "x-orch-list-type": type }), b: SHORT });
    return [
      {
        title: `an unchanged list of type ${type} is tolerated as a whole`,
        schema,
        old: { list: ["too long", "x"], b: "x" },
        value: { list: ["too long", "x"], b: "y" },
        refused: [],
      },
      {
        title: `an unchanged item of a changed list of type ${type} is refused`,
        schema,
        old: { list: ["too long"] },
        value: { list: ["too long", "x"] },
        refused: ["spec.list[0]"],
      },
    ];
  }),
  {
    title: "an unchanged entry of a map is tolerated",
    schema: struct({}, { additionalProperties: SHORT }),
    old: { a: "too long" },
    value: { a: "too long", b: "x" },
    refused: [],
  },
  {
    title: "an object with fields without a schema counts as changed",
    schema: struct({ a: SHORT }, { required: ["c"], "x-orch-preserve-unknown-fields": true }),
    old: { b: 1 },
    value: { b: 1 },
    refused: ["spec.c"],
  },
  {
    title: "an alternative of anyOf is tolerated with its unchanged value only",
    schema: struct({ a: SHORT, b: SHORT }, { anyOf: [{ required: ["c"] }, { properties: { a: { minLength: 2 } } }] }),
    old: { a: "x", b: "x" },
    value: { a: "x", b: "y" },
    refused: ["spec", "spec.a"],
  },
  {
    title: "a rule on an unchanged value is tolerated",
    schema: struct({ a: RULE, b: RULE }),
    old: { a: "no", b: "no" },
    value: { a: "no", b: "changed" },
    refused: ["spec.b"],
  },
  {
    title: "a rule on an item of an unchanged list is tolerated",
    schema: struct({ list: listOf(RULE), b: SHORT }),
    old: { list: ["no"], b: "x" },
    value: { list: ["no"], b: "y" },
    refused: [],
  },
  {
    title: "a rule on an item of a changed list is refused",
    schema: struct({ list: listOf(RULE) }),
    old: { list: ["no"] },
    value: { list: ["no", "ok"] },
    refused: ["spec.list[0]"],
  },
  {
    title: "a transition rule is refused on an unchanged value",
    schema: struct({ a: { type: "string", "x-orch-validations": [{ rule: "self != oldSelf" }] } }),
    old: { a: "x" },
    value: { a: "x" },
    refused: ["spec.a"],
  },
  {
    title: "a rule that fails with an error is refused on an unchanged value",
    schema: struct({ a: struct({ b: SHORT }, { "x-orch-validations": [{ rule: "self.b == 'x'" }] }) }),
    old: { a: {} },
    value: { a: {} },
    refused: ["spec.a"],
  },
];

describe("with ratcheting", () => {
  test.each(CASES)("$title", ({ schema, old, value, refused }) => {
    const parts = { ratchets: true, rules: new ExpressionRules(ORCH) };
    const paths = (errors: readonly string[]) => [...new Set(errors.map((text) => text.split(":")[0]))].sort();
    expect(paths(take(schema, value, parts, old).errors)).toEqual(refused);
    // Every case has errors when it is created, except for rules about the change.
    if (!JSON.stringify(schema).includes("oldSelf")) expect(take(schema, value, parts).errors).not.toEqual([]);
  });
});

test("without ratcheting, an unchanged value is refused", () => {
  expect(take(struct({ a: SHORT }), { a: "too long" }, {}, { a: "too long" }).errors).toHaveLength(1);
});

test("a tolerated rule is a warning, and an update of the status ignores the schema of other members", () => {
  const schema = { type: "object", required: ["more"], properties: { spec: RULE, status: SHORT } };
  const { validate } = compileSchema(readSchema(schema), {
    ...{ ...OF_THINGS, ratchets: true },
    rules: new ExpressionRules(ORCH),
  });
  const warnings: string[] = [];
  const warn = (text: string) => warnings.push(text);
  const old = { spec: "no", status: "x" };
  const update = (isStatus: boolean) => validate({ ...old, status: "y" }, { old, isStatus, warn });
  expect(update(false)).toMatchObject([{ kind: "Required", path: "more" }]);
  expect(update(true)).toEqual([]);
  expect(warnings).toEqual(['spec: Invalid value: "no": is ok']);
});

describe("the cost of an invalid update grows with the object", () => {
  const times = <Item>(count: number, make: (at: number) => Item): Item[] =>
    Array.from({ length: count }, (_, at) => make(at));
  const deep = (depth: number): JsonObject => {
    let node: JsonObject = RULE;
    for (let level = 0; level < depth; level += 1)
      node = struct({ next: node, list: listOf(SHORT) }, { required: ["a"] });
    return node;
  };
  const deepValue = (depth: number, items: number): JsonValue => {
    let value: JsonValue = "no";
    for (let level = 0; level < depth; level += 1) value = { next: value, list: times(items, () => "too long") };
    return value;
  };
  test.each<[string, JsonObject, (size: number) => JsonValue, (size: number) => JsonValue]>([
    [
      "unchanged items with keys, in another order",
      listOf(item(SHORT), BY_NAME),
      (size) => times(size, (at) => ({ name: `n${at}`, value: "too long" })),
      (size) => times(size, (at) => ({ name: `n${size - at - 1}`, value: "too long" })),
    ],
    [
      "unchanged items with rules",
      listOf(item(RULE), BY_NAME),
      (size) => times(size, (at) => ({ name: `n${at}`, value: "no" })),
      (size) => times(size, (at) => ({ name: `n${at}`, value: at === 0 ? "ok" : "no" })),
    ],
    [
      "an item at the end of an atomic list",
      struct({ list: listOf(SHORT) }),
      (size) => ({ list: times(size, () => "too long") }),
      (size) => ({ list: times(size, (at) => (at === size - 1 ? "changed" : "too long")) }),
    ],
    ["deep objects", deep(60), (size) => deepValue(60, size / 60), (size) => deepValue(60, size / 60)],
  ])("%s", async (_what, schema, before, after) => {
    const growth = await growthOf((size) => {
      const { validate } = compileSchema(readSchema(thingSchema(schema)), {
        ...{ ...OF_THINGS, ratchets: true },
        rules: new ExpressionRules(ORCH),
      });
      const [old, object] = [{ spec: before(size) }, { spec: after(size) }];
      return () => validate(object, { old });
    }, 2000);
    expect(growth).toBeLessThan(LINEAR_MAX);
  });
});
