// Tests expensive schemas and objects: the work grows linearly or is cut off.
import { describe, expect, test } from "@jest/globals";
import { ERRORS_MAX } from "@orch/machinery";
import { type JsonObject, type JsonValue, loadSchema, StructObjectType, TypeModels } from "@orch/schema";
import { growthOf, LINEAR_MAX } from "@orch/testing";
import { compileSchema, readSchema } from "./compiled-schema";
import { structuralErrors } from "./structural-errors";
import { OF_THINGS, ORCH, thingSchema } from "./testing/compiled";

const validator = (spec: JsonObject) => compileSchema(readSchema(thingSchema(spec)), OF_THINGS).validate;
const errorsOf = (spec: JsonObject, value: JsonValue) => validator(spec)({ spec: value });
const times = <Item>(count: number, make: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => make(at));

const TOO_MUCH = /exceeds the step limit/;
const STRING: JsonObject = { type: "string" };

/** Builds nested structs, each with many strings beside the next struct. */
function nested(depth: number, texts: number): JsonObject {
  let node: JsonObject = STRING;
  for (let level = 0; level < depth; level += 1) {
    node = {
      type: "object",
      properties: { next: node, ...Object.fromEntries(times(texts, (at) => [`t${at}`, STRING])) },
    };
  }
  return node;
}

describe("the cost of an object grows with it", () => {
  const objects = {
    type: "object",
    required: ["a"],
    properties: { a: { type: "string", maxLength: 9 }, b: { type: "integer" } },
  };
  test.each<[string, JsonObject, (at: number) => JsonValue]>([
    ["items", { type: "array", items: objects }, (at) => ({ a: `v${at}`, b: at })],
    ["items that are wrong", { type: "array", items: objects }, (at) => ({ a: at, b: "x" })],
    ["items of a set", { type: "array", items: STRING, "x-orch-list-type": "set" }, (at) => `v${at}`],
    ["items that are there twice", { type: "array", items: STRING, "x-orch-list-type": "set" }, (at) => `v${at >> 1}`],
    [
      "items with keys",
      { type: "array", items: objects, "x-orch-list-type": "map", "x-orch-list-map-keys": ["a"] },
      (at) => ({ a: `v${at}` }),
    ],
    ["unique items", { type: "array", items: STRING, uniqueItems: true }, (at) => `v${at}`],
    [
      "items with a pattern",
      { type: "array", items: { type: "string", pattern: "^(a+)+$" } },
      (at) => `${"a".repeat(20)}${at}`,
    ],
    [
      "items that take the last of several ways",
      { type: "array", items: { ...objects, anyOf: [{ required: ["c"] }, { required: ["d"] }, { required: ["a"] }] } },
      (at) => ({ a: `v${at}` }),
    ],
  ])("%s", async (_what, schema, item) => {
    const growth = await growthOf((size) => {
      const validate = validator(schema);
      const object = { spec: times(size, item) };
      return () => validate(object);
    }, 2000);
    expect(growth).toBeLessThan(LINEAR_MAX);
  });
});

test("the cost of what is wrong with a schema grows with it", async () => {
  const growth = await growthOf((size) => {
    const properties = Object.fromEntries(
      times(size, (at) => [`p${at}`, { type: "string", default: at, nullable: true }]),
    );
    return () => structuralErrors(thingSchema({ type: "object", properties }), "S", { vocabulary: ORCH });
  }, 1000);
  expect(growth).toBeLessThan(LINEAR_MAX);
});

test("ways inside ways are gone once to be tried, and once for each level to be explained", async () => {
  const growth = await growthOf((size) => {
    let ways: JsonObject = { minimum: 5 };
    for (let left = size; left > 1; left /= 2) ways = { anyOf: [ways, structuredClone(ways)] };
    const validate = validator({ type: "integer", ...ways });
    return () => validate({ spec: 3 });
  }, 1024);
  expect(growth).toBeLessThan(LINEAR_MAX);
});

test("an object that a schema would have to look at too often is refused, whatever else is wrong with it", () => {
  const ways = times(2000, (at) => ({ required: [`f${at}`] }));
  const schema = { type: "array", items: { type: "object", properties: { f1999: STRING }, anyOf: ways } };
  expect(
    errorsOf(
      schema,
      times(20, () => ({ f1999: "x" })),
    ),
  ).toEqual([]);
  const errors = errorsOf(
    schema,
    times(20_000, () => ({ f1999: "x" })),
  );
  expect(errors.at(-1)).toMatchObject({ kind: "Forbidden", detail: expect.stringMatching(TOO_MUCH) });
});

test("patterns that must look at each character in very many ways are stopped, those that need not are not", () => {
  const texts = times(20_000, (at) => `my-name-${at}.example.com`);
  const names = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
  expect(errorsOf({ type: "array", items: { type: "string", pattern: names } }, texts)).toEqual([]);
  const random = times(50_000, (at) => "abc"[(at * at * 7 + (at >> 3)) % 3]).join("");
  const errors = errorsOf({ type: "string", pattern: "^(?:.*[ab].{400})[xy]$" }, random);
  expect(errors.at(-1)).toMatchObject({ kind: "Forbidden", detail: expect.stringMatching(TOO_MUCH) });
});

test("no more errors are found than are told, nor are the values of one that allows very many told each time", () => {
  expect(
    errorsOf(
      { type: "array", items: STRING },
      times(50_000, (at) => at),
    ),
  ).toHaveLength(ERRORS_MAX + 1);
  const schema = { type: "array", items: { type: "string", enum: times(50_000, (at) => `e${at}`) } };
  const details = new Set(
    errorsOf(
      schema,
      times(5000, () => "x"),
    ).map(({ detail }) => detail),
  );
  expect(details.size).toBe(1);
  expect([...details].join().length).toBeLessThan(10_000);
});

test("a schema is not looked at before an object comes, and then once, and again only where the object goes", () => {
  const looks = new Map<string, number>();
  // One proxy per node, so that memoization by node works.
  const noted = new Map<JsonObject, JsonObject>();
  const noting = (node: JsonObject, path: string): JsonObject => {
    const known = noted.get(node);
    if (known !== undefined) return known;
    const made = new Proxy(node, {
      get: (target, name) => {
        const value = target[name as string] as JsonValue;
        const below = `${path}.${String(name)}`;
        if (path.endsWith(".properties")) looks.set(below, (looks.get(below) ?? 0) + 1);
        return typeof value === "object" && value !== null && !Array.isArray(value) ? noting(value, below) : value;
      },
    });
    noted.set(node, made);
    return made;
  };
  const spec = { type: "object", properties: { a: nested(3, 5), b: nested(3, 5) } };
  const compiled = compileSchema(readSchema(noting(thingSchema(spec), "S")), OF_THINGS);
  expect(looks.size).toBe(0);
  const type = new StructObjectType("Thing", compiled.type);
  for (let round = 0; round < 3; round += 1) {
    const { value } = type.decode({ spec: { a: { t1: "x" } } });
    type.applyDefaults(value);
    expect(compiled.validate(value)).toEqual([]);
  }
  const beside = [...looks].filter(([path]) => path.includes(".properties.b.properties"));
  expect(beside.length).toBeGreaterThan(10);
  expect(new Set(beside.map(([, times]) => times))).toEqual(new Set([1]));
});

test("a schema that is nested as deep as any may be is compiled, asked and published", () => {
  let [schema, value]: [JsonObject, JsonValue] = [{ type: "integer" }, "x"];
  for (let level = 0; level < 95; level += 1) {
    schema = { type: "object", properties: { a: schema } };
    value = { a: value };
  }
  expect(structuralErrors(thingSchema(schema), "S", { vocabulary: ORCH })).toEqual([]);
  const { type, validate } = compileSchema(readSchema(thingSchema(schema)), OF_THINGS);
  const decoded = new StructObjectType("Thing", type).decode({ spec: value });
  expect(decoded.problems).toEqual([]);
  expect(validate(decoded.value)).toMatchObject([{ kind: "Invalid", value: "string" }]);
  const models = new TypeModels(loadSchema(ORCH), "v3", { kindsOf: () => [], shows: () => true });
  models.reference(type);
  expect(models.next()?.[1]).toMatchObject({ type: "object" });
});

test("names that every JavaScript object has are names like any other", () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"integer"},"toString":{"type":"integer"}},"required":["constructor"]}',
  );
  expect(errorsOf(schema, JSON.parse('{"__proto__":"x","toString":"x"}')).map(({ path }) => path)).toEqual([
    "spec.constructor",
    "spec.__proto__",
    "spec.toString",
  ]);
});
