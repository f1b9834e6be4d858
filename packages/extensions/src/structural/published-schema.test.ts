import { expect, test } from "@jest/globals";
import { type JsonObject, loadSchema, TypeModels } from "@orch/schema";
import { compileSchema, readSchema } from "./compiled-schema";
import { OF_THINGS, ORCH, thingSchema } from "./testing/compiled";

const KEEPS = "x-orch-preserve-unknown-fields";

function published(schema: JsonObject | undefined, version: "v2" | "v3"): JsonObject {
  const kind = { group: "example.com", version: "v1", kind: "Thing" };
  const models = new TypeModels(loadSchema(ORCH), version, {
    kindsOf: (struct) => (struct.name === "example.com/v1.Thing" ? [kind] : []),
    shows: () => true,
  });
  const { type } = compileSchema(schema && readSchema(schema), OF_THINGS);
  models.reference(type);
  const [name, model] = models.next() ?? [];
  expect(name).toBe("com.example.v1.Thing");
  if ("properties" in (model ?? {})) expect(models.next()?.[0]).toMatch(/ObjectMeta$/);
  return model as JsonObject;
}

const specOf = (schema: JsonObject, version: "v2" | "v3"): unknown =>
  (published(thingSchema(schema), version)["properties"] as JsonObject)["spec"];

const schema: JsonObject = {
  type: "object",
  description: "d",
  required: ["a"],
  properties: {
    a: { type: "string", pattern: "^a", default: "abc", nullable: true, example: "x" },
    either: { "x-orch-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }], pattern: "^a" },
    open: { type: "object", [KEEPS]: true, properties: { a: { type: "string" } }, description: "o" },
    list: { type: "array", "x-orch-list-type": "set", items: { type: "string", maxLength: 3 } },
    map: { type: "object", additionalProperties: { type: "integer", format: "int32" } },
  },
  anyOf: [{ required: ["a"] }],
};

test("version 3 says all that the schema says of values", () => {
  expect(specOf(schema, "v3")).toEqual({
    ...schema,
    properties: {
      ...(schema["properties"] as JsonObject),
      a: { type: "string", pattern: "^a", default: "abc", nullable: true },
    },
  });
});

test("version 2 says no more than it has words for", () => {
  expect(specOf(schema, "v2")).toEqual({
    type: "object",
    description: "d",
    properties: {
      a: { pattern: "^a" },
      either: { "x-orch-int-or-string": true, pattern: "^a" },
      open: { [KEEPS]: true, description: "o" },
      list: { type: "array", "x-orch-list-type": "set", items: { type: "string", maxLength: 3 } },
      map: { type: "object", additionalProperties: { type: "integer", format: "int32" } },
    },
  });
});

test("a whole object has kind, version and the metadata of all objects, whatever its schema says of them", () => {
  const model = published({ type: "object", description: "root", properties: { metadata: { type: "object" } } }, "v3");
  expect(model).toEqual({
    type: "object",
    description: "root",
    properties: {
      apiVersion: { type: "string", description: expect.stringMatching(/^APIVersion defines /) },
      kind: { type: "string", description: expect.stringMatching(/^Kind is /) },
      metadata: {
        description: expect.stringMatching(/^Standard object's metadata\. /),
        allOf: [{ $ref: expect.stringContaining("ObjectMeta") }],
      },
    },
    "x-orch-group-version-kind": [{ group: "example.com", version: "v1", kind: "Thing" }],
  });
});

const OPEN_ROOT: JsonObject = {
  type: "object",
  description: "d",
  required: ["spec"],
  [KEEPS]: true,
  properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
};
const KINDS = { "x-orch-group-version-kind": [{ group: "example.com", version: "v1", kind: "Thing" }] };

test("an object that may hold unknown fields is one in version 2, and nothing more", () => {
  expect(published(undefined, "v2")).toEqual({ type: "object", ...KINDS });
  expect(published(undefined, "v3")).toEqual({ type: "object", ...KINDS });
  expect(published(OPEN_ROOT, "v2")).toEqual({ type: "object", ...KINDS });
  expect(published(OPEN_ROOT, "v3")).toMatchObject({ ...OPEN_ROOT, ...KINDS });
});

const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, expect.anything()]));
const A: JsonObject = { type: "object", properties: { a: { type: "string" } } };
const EMBEDDED = "x-orch-embedded-resource";

test.each<[string, JsonObject, object, object]>([
  [
    "a list that preserves",
    { type: "array", [KEEPS]: true, items: A },
    { [KEEPS]: true },
    { type: "array", [KEEPS]: true, items: A },
  ],
  [
    "a map that preserves",
    { type: "object", [KEEPS]: true, additionalProperties: A },
    { [KEEPS]: true, additionalProperties: A },
    { type: "object", [KEEPS]: true, additionalProperties: A },
  ],
  [
    "a value of no type",
    { [KEEPS]: true, description: "d" },
    { [KEEPS]: true, description: "d" },
    { [KEEPS]: true, description: "d" },
  ],
  ["a nullable struct", { ...A, nullable: true }, {}, { ...A, nullable: true }],
  [
    "a nullable field that is required",
    {
      type: "object",
      required: ["n", "p"],
      properties: { n: { type: "string", nullable: true }, p: { type: "string" } },
    },
    { type: "object", required: ["p"], properties: { n: {}, p: { type: "string" } } },
    {
      type: "object",
      required: ["n", "p"],
      properties: { n: { type: "string", nullable: true }, p: { type: "string" } },
    },
  ],
  [
    "a map of nullable values with a required key",
    { type: "object", required: ["z"], additionalProperties: { type: "string", nullable: true } },
    { type: "object", additionalProperties: {} },
    { type: "object", required: ["z"], additionalProperties: { type: "string", nullable: true } },
  ],
  [
    "an embedded resource",
    { ...A, [EMBEDDED]: true, required: ["a"] },
    {
      type: "object",
      [EMBEDDED]: true,
      required: ["a", "kind", "apiVersion"],
      properties: named("a", "apiVersion", "kind", "metadata"),
    },
    {
      type: "object",
      [EMBEDDED]: true,
      required: ["a", "kind", "apiVersion"],
      properties: named("a", "apiVersion", "kind", "metadata"),
    },
  ],
  [
    "an embedded resource of any kind",
    { type: "object", [EMBEDDED]: true, [KEEPS]: true },
    { [EMBEDDED]: true, [KEEPS]: true },
    {
      type: "object",
      [EMBEDDED]: true,
      [KEEPS]: true,
      required: ["kind", "apiVersion"],
      properties: named("apiVersion", "kind", "metadata"),
    },
  ],
])("%s", (_what, node, v2, v3) => {
  expect(specOf(node, "v2")).toEqual(v2);
  expect(specOf(node, "v3")).toEqual(v3);
});

test("a large schema is published in many steps", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, at) => [`field${at}`, { type: "string" } satisfies JsonObject]),
  );
  const { type } = compileSchema(readSchema(thingSchema({ type: "object", properties })), OF_THINGS);
  const models = new TypeModels(loadSchema(ORCH), "v3", { kindsOf: () => [], shows: () => true });
  models.reference(type);
  const making = models.making();
  let steps = 0;
  while (making.next().done !== true) steps += 1;
  expect(steps).toBeGreaterThan(10);
});
