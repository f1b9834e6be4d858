import { describe, expect, test } from "@jest/globals";
import { type JsonObject, type JsonValue, type RuntimeType, StructObjectType } from "@orch/schema";
import { compileSchema, readSchema } from "./compiled-schema";
import { OF_THINGS, ORCH, take, thingSchema } from "./testing/compiled";

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const STRING: JsonObject = { type: "string" };
const INT_OR_STRING = "x-orch-int-or-string";
const KEEPS = "x-orch-preserve-unknown-fields";
const EMBEDDED = "x-orch-embedded-resource";
const LIST_TYPE = "x-orch-list-type";
const KEYS = "x-orch-list-map-keys";
const keyed = (item: JsonObject, ...keys: string[]): JsonObject => ({
  type: "array",
  items: item,
  [LIST_TYPE]: "map",
  [KEYS]: keys,
});

describe("an error names the field and the rule", () => {
  const wrongType = (path: string, type: string, found: string) =>
    `${path}: Invalid value: "${found}": ${path} in body must be of type ${type}: "${found}"`;
  const breach = (path: string, value: JsonValue, rule: string) =>
    `${path}: Invalid value: ${JSON.stringify(value)}: ${path} in body ${rule}`;
  const denied = (path: string, rule: string) => `${path}: Invalid value: "": "${path}" ${rule}`;
  test.each<[JsonObject, JsonValue, readonly string[]]>([
    [STRING, 5, [wrongType("spec", "string", "integer")]],
    [{ type: "integer" }, 1.5, [wrongType("spec", "integer", "number")]],
    [{ type: "integer" }, 1e30, [wrongType("spec", "integer", "number")]],
    [{ type: "boolean" }, "x", [wrongType("spec", "boolean", "string")]],
    [
      { type: "array", items: STRING },
      ["a", 2, null],
      [wrongType("spec[1]", "string", "integer"), wrongType("spec[2]", "string", "null")],
    ],
    [{ type: "object", additionalProperties: STRING }, { "b.c": [] }, [wrongType("spec.b.c", "string", "array")]],
    [{ [INT_OR_STRING]: true }, true, [wrongType("spec", "integer,string", "boolean")]],
    [{ type: "string", enum: ["a", "b"] }, "c", ['spec: Unsupported value: "c": supported values: "a", "b"']],
    [{ type: "string", nullable: true, enum: ["a"] }, null, ['spec: Unsupported value: "null": supported values: "a"']],
    [{ type: "integer", minimum: 1 }, 0, [breach("spec", 0, "should be greater than or equal to 1")]],
    [{ type: "number", maximum: 5, exclusiveMaximum: true }, 5, [breach("spec", 5, "should be less than 5")]],
    [{ type: "number", multipleOf: 0.1 }, 0.35, [breach("spec", 0.35, "should be a multiple of 0.1")]],
    [{ type: "string", minLength: 2 }, "😀", [breach("spec", "😀", "should be at least 2 chars long")]],
    [
      { type: "string", maxLength: 1, pattern: "^[a-z]+$", format: "ipv4" },
      "A1",
      [
        breach("spec", "A1", "should be at most 1 chars long"),
        breach("spec", "A1", "should match '^[a-z]+$'"),
        breach("spec", "A1", 'must be of type ipv4: "A1"'),
      ],
    ],
    [{ type: "array", items: STRING, maxItems: 1 }, ["a", "b"], [breach("spec", 2, "should have at most 1 items")]],
    [
      { type: "array", items: STRING, uniqueItems: true },
      ["a", "a"],
      [breach("spec", 2, "shouldn't contain duplicates")],
    ],
    [
      { type: "object", additionalProperties: STRING, minProperties: 1 },
      {},
      [breach("spec", 0, "should have at least 1 properties")],
    ],
    [
      object({ a: STRING, b: STRING }, { required: ["a", "b"] }),
      { b: null },
      ["spec.a: Required value", "spec.b: Required value"],
    ],
    [{ type: "object", additionalProperties: false }, {}, []],
    [
      object({ a: STRING, b: STRING }, { oneOf: [{ required: ["a"] }, { required: ["b"] }] }),
      { a: "", b: "" },
      [denied("spec", "must validate one and only one schema (oneOf). Found 2 valid alternatives")],
    ],
    [
      object(
        { a: object({ y: { type: "integer" } }) },
        { oneOf: [{ required: ["b"] }, { required: ["a"], properties: { a: { properties: { y: { minimum: 3 } } } } }] },
      ),
      { a: { y: 1 } },
      [
        denied("spec", "must validate one and only one schema (oneOf). Found none valid"),
        breach("spec.a.y", 1, "should be greater than or equal to 3"),
      ],
    ],
    [
      { type: "string", anyOf: [{ pattern: "^a" }, { minLength: 3 }] },
      "b",
      [denied("spec", "must validate at least one schema (anyOf)"), breach("spec", "b", "should match '^a'")],
    ],
    [
      { type: "string", allOf: [{ pattern: "^a" }, { minLength: 3 }] },
      "a",
      [breach("spec", "a", "should be at least 3 chars long"), denied("spec", "must validate all the schemas (allOf)")],
    ],
    [{ type: "integer", not: { minimum: 3 } }, 4, [denied("spec", "must not validate the schema (not)")]],
    [
      { type: "array", items: STRING, [LIST_TYPE]: "set" },
      ["a", "a", "b", "a", "b"],
      ['spec[1]: Duplicate value: "a"', 'spec[4]: Duplicate value: "b"'],
    ],
    [
      keyed(object({ k: STRING, d: { type: "integer", default: 1 } }, { required: ["k"] }), "k", "d"),
      [{ k: "a" }, { k: "a", d: 1 }, { k: "a", d: 2 }],
      ['spec[1]: Duplicate value: {"k":"a","d":1}'],
    ],
    [
      keyed(object({ k: STRING }), "k"),
      [1],
      [
        wrongType("spec[0]", "object", "integer"),
        "spec[0]: Invalid value: 1: must be an object for an array of list-type map",
      ],
    ],
    [
      { type: "object", [EMBEDDED]: true, [KEEPS]: true },
      { kind: "", metadata: { labels: { "a b": "c" } } },
      [
        "spec.apiVersion: Required value: must not be empty",
        'spec.kind: Invalid value: "": must not be empty',
        expect.stringContaining('spec.metadata.labels: Invalid value: "a b"') as unknown as string,
      ],
    ],
  ])("%j does not take %j", (schema, value, errors) => {
    expect(take(schema, value).errors).toEqual(errors);
  });

  test("all of it at once, wherever it is", () => {
    const schema = object({
      a: object({ b: { type: "array", items: object({ c: STRING }, { required: ["c"] }) } }),
      d: { type: "integer", minimum: 3 },
    });
    expect(take(schema, { a: { b: [{}, { c: 1 }] }, d: 1 }).errors).toEqual([
      "spec.a.b[0].c: Required value",
      wrongType("spec.a.b[1].c", "string", "integer"),
      breach("spec.d", 1, "should be greater than or equal to 3"),
    ]);
  });
});

test.each<[JsonObject, JsonValue]>([
  [{ type: "integer" }, 1.0],
  [{ type: "number" }, 5],
  [{ [INT_OR_STRING]: true, anyOf: [{ type: "integer" }, { type: "string" }] }, 5],
  [{ [INT_OR_STRING]: true, anyOf: [{ type: "integer" }, { type: "string" }] }, "5%"],
  [{ type: "string", nullable: true, minLength: 3 }, null],
  [{ type: "string", maxLength: 3 }, "😀😀😀"],
  [{ type: "number", multipleOf: 0.01 }, 1.13],
  [{ [KEEPS]: true }, [1, { a: null }]],
  [
    { type: "object", enum: [{ a: 1, b: [1] }], [KEEPS]: true },
    { b: [1], a: 1 },
  ],
  [{ type: "integer", pattern: "x", minLength: 3 }, 5],
  [{ type: "string", minimum: 3 }, "x"],
  [object({ a: object({ x: STRING }, { nullable: true, required: ["x"] }) }), { a: null }],
  [object({ constructor: STRING, __proto__: STRING }), { constructor: "a" }],
])("%j takes %j as it is", (schema, value) => {
  expect(take(schema, value)).toEqual({ spec: value, dropped: [], errors: [] });
});

describe("values are taken", () => {
  test.each<[string, JsonObject, JsonValue, JsonValue, readonly string[]]>([
    ["without what nobody named", object({ a: STRING }), { a: "x", b: 1 }, { a: "x" }, ["spec.b"]],
    [
      "with what is to be kept, but not inside what is named",
      object({ a: object({ b: STRING }) }, { [KEEPS]: true }),
      { a: { b: "x", c: 1 }, z: { y: [null] } },
      { a: { b: "x" }, z: { y: [null] } },
      ["spec.a.c"],
    ],
    [
      "with their defaults",
      object({ a: { type: "string", default: "x" }, b: { type: "string", nullable: true, default: "y" }, c: STRING }),
      { a: null, b: null, c: null },
      { a: "x", b: null },
      [],
    ],
    [
      "with defaults for null items",
      { type: "array", items: { type: "string", default: "d" } },
      [null, "a"],
      ["d", "a"],
      [],
    ],
    [
      "with null where it is a value, whatever logic there is beside its type",
      { nullable: true, type: "object", not: { required: ["a"] }, anyOf: [{ required: ["b"] }, { required: ["c"] }] },
      null,
      null,
      [],
    ],
    ["without null under a key", { type: "object", additionalProperties: STRING }, { a: null, b: "c" }, { b: "c" }, []],
    [
      "with null under a key where it is a value",
      { type: "object", additionalProperties: { type: "string", nullable: true } },
      { a: null },
      { a: null },
      [],
    ],
    [
      "with kind, version and metadata of a resource within",
      object({ spec: object({ a: STRING }) }, { [EMBEDDED]: true }),
      { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { a: "x", b: 1 }, other: 1 },
      { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { a: "x" } },
      ["spec.other", "spec.spec.b"],
    ],
    [
      "with what a list keeps in its items, but not inside what is named there",
      {
        type: "array",
        [KEEPS]: true,
        items: object({ a: STRING, o: object({ p: STRING }), m: { type: "object", additionalProperties: object({}) } }),
      },
      [{ a: "1", b: "2", o: { p: "3", q: "4" }, m: { k: { n: 5 } } }],
      [{ a: "1", o: { p: "3" }, m: { k: {} }, b: "2" }],
      ["spec[0].m.k.n", "spec[0].o.q"],
    ],
    [
      "with what a list of lists keeps",
      { type: "array", [KEEPS]: true, items: { type: "array", items: object({ a: STRING }) } },
      [[{ b: 1 }], [{ a: "x", b: { c: 2 } }]],
      [[{ b: 1 }], [{ a: "x", b: { c: 2 } }]],
      [],
    ],
    [
      "with what an inner list alone keeps",
      object({ l: { type: "array", items: { type: "array", [KEEPS]: true, items: object({ a: STRING }) } } }),
      { l: [[{ b: 1 }]], other: 2 },
      { l: [[{ b: 1 }]] },
      ["spec.other"],
    ],
    [
      "with what a nullable list keeps",
      { type: "array", nullable: true, [KEEPS]: true, items: object({ a: STRING }, { nullable: true }) },
      [null, { a: "1", b: null }],
      [null, { a: "1", b: null }],
      [],
    ],
    [
      "with what a list of resources keeps",
      { type: "array", [KEEPS]: true, items: object({ spec: object({ a: STRING }) }, { [EMBEDDED]: true }) },
      [{ apiVersion: "v1", kind: "Pod", metadata: { name: "a", odd: 1 }, spec: { a: "x", b: 1 }, other: 1 }],
      [{ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { a: "x" }, other: 1 }],
      ["spec[0].metadata.odd", "spec[0].spec.b"],
    ],
    [
      "with what a list kept by key keeps",
      { ...keyed(object({ k: STRING }, { required: ["k"] }), "k"), [KEEPS]: true },
      [{ k: "a", b: 1 }],
      [{ k: "a", b: 1 }],
      [],
    ],
  ])("%s", (_how, schema, value, spec, dropped) => {
    const taken = take(schema, value);
    expect({ ...taken, dropped: [...taken.dropped].sort() }).toEqual({ spec, dropped, errors: [] });
  });

  test("values are kept unchanged when the definition preserves unknown fields or has no schema", () => {
    const value = { a: null, b: { c: 1 }, list: [null] };
    const schema = object({
      a: { type: "string", nullable: true },
      b: object({}),
      list: { type: "array", items: { type: "string", nullable: true } },
    });
    expect(take(schema, value, { preserveUnknownFields: true })).toEqual({ spec: value, dropped: [], errors: [] });
    const { validate } = compileSchema(undefined, OF_THINGS);
    expect(validate({ spec: { a: 1 }, other: [] })).toEqual([]);
  });
});

test("a list that held an item twice already may hold it on", () => {
  const schema = object({
    list: { type: "array", items: STRING, [LIST_TYPE]: "set" },
    n: { type: "integer", minimum: 1 },
  });
  const twice = { list: ["a", "a"], n: 0 };
  expect(take(schema, twice, {}, { list: ["a"] }).errors).toHaveLength(2);
  expect(take(schema, twice, {}, { list: ["b", "b"] }).errors).toEqual([
    "spec.n: Invalid value: 0: spec.n in body should be greater than or equal to 1",
  ]);
});

test("lists and maps merge by their markers", () => {
  const schema = object({
    set: { type: "array", items: STRING, [LIST_TYPE]: "set" },
    map: keyed(object({ k: { type: "string", default: "x" }, v: STRING }), "k"),
    plain: { type: "array", items: STRING },
    whole: object({ a: STRING }, { "x-orch-map-type": "atomic" }),
    struct: object({ a: STRING }),
    open: { type: "object", [KEEPS]: true },
    any: { [KEEPS]: true },
    strings: { type: "object", additionalProperties: STRING },
  });
  const { type } = compileSchema(readSchema(thingSchema(schema)), OF_THINGS);
  const spec = type.fieldByName.get("spec")?.type;
  const fields = spec?.kind === "struct" ? spec.fields : [];
  expect(Object.fromEntries(fields.map((field) => [field.name, mergingOf(field.type)]))).toEqual({
    set: "list set",
    map: "list map of k",
    plain: "list atomic",
    whole: "struct atomic",
    struct: "struct granular",
    open: "any merges",
    any: "any merges",
    strings: "map granular",
  });
});

function mergingOf(type: RuntimeType): string {
  switch (type.kind) {
    case "struct":
    case "map":
      return `${type.kind} ${type.relation}`;
    case "list":
      return ["list", type.relation, ...(type.keys.length > 0 ? ["of", ...type.keys] : [])].join(" ");
    case "any":
      return type.merges === true ? "any merges" : "any";
    default:
      return type.kind;
  }
}

test("markers are those of the vocabulary", () => {
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  expect(take(schema, { a: 1 }).spec).toEqual({});
  expect(ORCH.schemaExtensions.preserveUnknownFields).toBe(KEEPS);
});

test("a definition may restrict metadata.name", () => {
  const metadata = { type: "object", properties: { name: { type: "string", pattern: "^a", maxLength: 3 } } };
  const { type, validate } = compileSchema(readSchema({ type: "object", properties: { metadata } }), OF_THINGS);
  const { value, problems } = new StructObjectType("Thing", type).decode({ metadata: { name: "bbbb", odd: 1 } });
  expect(problems.map(({ path }) => path)).toEqual(["metadata.odd"]);
  expect(validate(value).map(({ path, detail }) => [path, detail])).toEqual([
    ["metadata.name", "metadata.name in body should be at most 3 chars long"],
    ["metadata.name", "metadata.name in body should match '^a'"],
  ]);
});
