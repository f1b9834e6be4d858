// Types of custom resources, built by hand as from a structural schema.
import { describe, expect, test } from "@jest/globals";
import { applyDefaults } from "../decoding/defaults";
import { writeJson } from "../json/exact-json";
import type { JsonObject, JsonValue } from "../json/json-value";
import { parseJson } from "../json/parse-json";
import { loadSchema } from "../object-types/load-schema";
import { StructObjectType } from "../object-types/object-type";
import { TypeModels } from "../openapi/type-models";
import { vocabularyOf } from "../vocabulary/vocabulary";
import { type DynamicField, dynamicStruct } from "./dynamic-struct";
import type { PublishedModel, RuntimeType, StructType } from "./runtime-type";

const schema = loadSchema(vocabularyOf("orch"));
const metadata = schema.type("meta/v1", "ObjectMeta") as StructType;
const STRING: RuntimeType = { kind: "string" };
const INT64: RuntimeType = { kind: "integer", bits: 64, unsigned: false };
const INT_OR_STRING: RuntimeType = { kind: "intOrString", bits: 64 };

const struct = (fields: readonly DynamicField[], keepsUnknownFields = false) =>
  dynamicStruct({ name: "example.com/v1.Thing.spec", fields, keepsUnknownFields, validatesLater: true });

const root = (spec: RuntimeType) =>
  dynamicStruct({
    name: "example.com/v1.Thing",
    isRoot: true,
    validatesLater: true,
    fields: [
      { name: "spec", type: spec },
      { name: "metadata", type: metadata },
    ],
  });

/** Returns the decoded spec as text; `problems` are the paths of pruned fields. */
function decoded(spec: RuntimeType, body: string) {
  const type = new StructObjectType("Thing", root(spec));
  const { value } = parseJson(Buffer.from(`{"kind":"Thing","spec":${body}}`));
  const result = type.decode(value as JsonObject);
  type.applyDefaults(result.value);
  return { spec: writeJson(result.value["spec"] as JsonValue), problems: result.problems.map(({ path }) => path) };
}

describe("null", () => {
  const fields: DynamicField[] = [
    { name: "plain", type: STRING },
    { name: "kept", type: STRING, nullable: true },
    { name: "keptDespiteDefault", type: STRING, nullable: true, default: "d" },
    { name: "defaulted", type: STRING, default: "d" },
  ];
  test.each<[string, string, string]>([
    ["is dropped where it is no value", '{"plain":null}', '{"keptDespiteDefault":"d","defaulted":"d"}'],
    ["stays where it is one", '{"kept":null}', '{"kept":null,"keptDespiteDefault":"d","defaulted":"d"}'],
    [
      "stays where it is one, also beside a default",
      '{"keptDespiteDefault":null}',
      '{"keptDespiteDefault":null,"defaulted":"d"}',
    ],
    ["gives way to a default", '{"defaulted":null}', '{"defaulted":"d","keptDespiteDefault":"d"}'],
  ])("%s", (_behaviour, body, expected) => {
    const { spec, problems } = decoded(struct(fields), body);
    expect(JSON.parse(spec)).toEqual(JSON.parse(expected));
    expect(problems).toEqual([]);
  });

  test.each<[string, Partial<Extract<RuntimeType, { kind: "list" | "map" }>>, string]>([
    ["is a value", { nulls: { are: "values" } }, "null"],
    ["gives way to a default", { nulls: { are: "absent", default: { a: 1 } } }, '{"a":1,"b":"d"}'],
    ["is left for validation in a list, and dropped under a key", { nulls: { are: "absent" } }, "null"],
  ])("null as an item of a list, or under a key, %s", (_behaviour, nulls, expected) => {
    const item = struct([
      { name: "a", type: INT64 },
      { name: "b", type: STRING, default: "d" },
    ]);
    const list = { kind: "list", element: item, relation: "atomic", keys: [], ...nulls } as RuntimeType;
    expect(decoded(list, '[null,{"b":"x"},{}]').spec).toBe(`[${expected},{"b":"x"},{"b":"d"}]`);
    const map = { kind: "map", key: STRING, value: item, relation: "granular", ...nulls } as RuntimeType;
    const inMap = nulls.nulls?.are === "absent" && !nulls.nulls.default ? "" : `"k":${expected},`;
    expect(decoded(map, '{"k":null,"m":{}}').spec).toBe(`{${inMap}"m":{"b":"d"}}`);
  });
});

describe("integers", () => {
  test.each(["9007199254740993", "-9223372036854775808", "0"])("%s is kept to the last digit", (text) => {
    const spec = struct([
      { name: "typed", type: INT64 },
      { name: "either", type: INT_OR_STRING },
      { name: "raw", type: { kind: "any" } },
    ]);
    const body = `{"typed":${text},"either":${text},"raw":{"in":[${text}]}}`;
    expect(decoded(spec, body).spec).toBe(body);
    expect(decoded(struct([], true), body).spec).toBe(body);
  });

  test("beyond 64 bits are doubles, which validation refuses where an integer is due", () => {
    const spec = struct([{ name: "typed", type: INT64 }], true);
    const large = "9223372036854775808";
    expect(decoded(spec, `{"typed":${large},"a":{"b":[${large}]}}`).spec).toBe(
      '{"typed":9223372036854776000,"a":{"b":[9223372036854776000]}}',
    );
  });

  test("in types that do not leave it to validation are checked at once", () => {
    const strict = dynamicStruct({ name: "x/v1.T", fields: [{ name: "n", type: INT_OR_STRING, nullable: true }] });
    const type = new StructObjectType("T", strict);
    expect(type.decode({ n: 9007199254740993n }).value).toEqual({ n: 9007199254740993n });
    expect(type.decode({ n: null }).value).toEqual({ n: null });
    expect(() => type.decode({ n: 1.5 })).toThrow(/an integer of 64 bits or a string/);
  });
});

describe("fields that are not declared", () => {
  const inner = struct([{ name: "known", type: STRING }]);
  test("are dropped and told of, in lists and maps too", () => {
    const spec = struct([
      { name: "list", type: { kind: "list", element: inner, relation: "atomic", keys: [] } },
      { name: "map", type: { kind: "map", key: STRING, value: inner, relation: "granular" } },
    ]);
    const { spec: kept, problems } = decoded(
      spec,
      '{"list":[{"known":"a","other":1}],"map":{"k":{"other":{}}},"__proto__":{"x":1},"toString":1}',
    );
    expect(kept).toBe('{"list":[{"known":"a"}],"map":{"k":{}}}');
    expect(problems).toEqual(["spec.__proto__", "spec.toString", "spec.list[0].other", "spec.map.k.other"]);
  });

  test("are kept where they are to be, but not inside those that are declared", () => {
    const spec = struct([{ name: "declared", type: inner }], true);
    const body = '{"declared":{"known":"a","other":1},"free":{"anything":[null,{"x":1}]},"null":null}';
    const { spec: kept, problems } = decoded(spec, body);
    expect(kept).toBe('{"declared":{"known":"a"},"free":{"anything":[null,{"x":1}]},"null":null}');
    expect(problems).toEqual(["spec.declared.other"]);
  });

  test("undeclared fields of an embedded object are dropped, except kind, apiVersion and metadata", () => {
    const embedded = dynamicStruct({
      name: "example.com/v1.Thing.spec.template",
      isRoot: true,
      validatesLater: true,
      fields: [{ name: "metadata", type: metadata }],
    });
    const body = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","odd":1},"data":{}}';
    const { spec, problems } = decoded(embedded, body);
    expect(JSON.parse(spec)).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a" },
    });
    expect(problems).toEqual(["spec.data", "spec.metadata.odd"]);
    expect(() => decoded(embedded, '{"metadata":"no"}')).toThrow(/spec\.metadata/);
  });
});

test("values that are not what the type says stay for validation to report", () => {
  const spec = struct([
    { name: "text", type: STRING },
    { name: "number", type: INT64 },
    { name: "struct", type: struct([{ name: "a", type: STRING, default: "d" }]) },
    { name: "list", type: { kind: "list", element: STRING, relation: "set", keys: [] } },
    { name: "map", type: { kind: "map", key: STRING, value: STRING, relation: "granular" } },
  ]);
  const body = '{"text":5,"number":"five","struct":["no"],"list":{"no":1},"map":[1]}';
  expect(decoded(spec, body)).toEqual({ spec: body, problems: [] });
  expect(decoded(STRING, "[1]").spec).toBe("[1]");
});

test("defaults are fresh for every object", () => {
  const type = struct([{ name: "list", type: { kind: "any" }, default: [] }]);
  const [one, other]: [JsonObject, JsonObject] = [{}, {}];
  for (const object of [one, other]) applyDefaults(type, object);
  (one["list"] as JsonValue[]).push(1);
  expect(other).toEqual({ list: [] });
});

test("are published with what they say", () => {
  const models = new TypeModels(schema, "v3", { kindsOf: () => [], shows: () => true });
  const spec = struct([
    { name: "either", type: INT_OR_STRING },
    { name: "kept", type: STRING, nullable: true },
  ]);
  models.reference(dynamicStruct({ name: "stable.example.com/v1.Thing", fields: [{ name: "spec", type: spec }] }));
  expect(models.next()?.[0]).toBe("com.example.stable.v1.Thing");
  expect(models.next()?.[1]).toMatchObject({
    properties: { either: { "x-orch-int-or-string": true }, kept: { type: "string", nullable: true } },
  });
});

test("fields are made when the first of them is asked for, once", () => {
  let times = 0;
  const fields = (): readonly DynamicField[] => {
    times += 1;
    return [{ name: "a", type: STRING }];
  };
  const lazy = dynamicStruct({ name: "example.com/v1.Thing.spec", fields, validatesLater: true });
  expect(times).toBe(0);
  expect(decoded(lazy, '{"a":"x","b":1}')).toEqual({ spec: '{"a":"x"}', problems: ["spec.b"] });
  expect(lazy.fieldByName.has("a")).toBe(true);
  expect(times).toBe(1);
});

test("a type whose maker knows more than its fields is published as the maker says", () => {
  const kind = { group: "example.com", version: "v1", kind: "Thing" };
  const models = new TypeModels(schema, "v3", { kindsOf: () => [kind], shows: () => true });
  const published: PublishedModel = function* (version, reference) {
    yield;
    return { description: `of ${version}`, properties: { metadata: reference(metadata) } };
  };
  models.reference(dynamicStruct({ name: "example.com/v1.Thing", fields: [], published }));
  const [, model] = models.next() ?? [];
  expect(model).toEqual({
    description: "of v3",
    properties: { metadata: { $ref: expect.stringContaining("ObjectMeta") } },
    "x-orch-group-version-kind": [kind],
  });
  expect(models.next()?.[0]).toContain("ObjectMeta");
});

test("defaults are not looked for where the maker says that there are none", () => {
  const fields = (): readonly DynamicField[] => {
    throw new Error("was looked at");
  };
  const inner = dynamicStruct({ name: "example.com/v1.Thing.inner", fields, leadsToDefault: false });
  const outer = struct([
    { name: "inner", type: inner },
    { name: "text", type: STRING, default: "d" },
  ]);
  const object: JsonObject = { inner: { a: 1 } };
  applyDefaults(outer, object);
  expect(object).toEqual({ inner: { a: 1 }, text: "d" });
});

test("paths to defaults are read only when the object has a value there", () => {
  const fields = (): readonly DynamicField[] => {
    throw new Error("was looked at");
  };
  const inner = dynamicStruct({ name: "example.com/v1.Thing.inner", fields, leadsToDefault: true });
  const object: JsonObject = {};
  applyDefaults(struct([{ name: "inner", type: inner }]), object);
  expect(object).toEqual({});
});
