import { describe, expect, test } from "@jest/globals";
import { field } from "@orch/machinery";
import type { JsonObject } from "@orch/schema";
import { type StructuralOptions, structuralErrors } from "./structural-errors";
import { ORCH, thingSchema } from "./testing/compiled";

const KEEPS = "x-orch-preserve-unknown-fields";
const EMBEDDED = "x-orch-embedded-resource";

const told = (schema: JsonObject, only?: StructuralOptions["only"]): readonly string[] =>
  structuralErrors(schema, "S", { vocabulary: ORCH, ...(only !== undefined && { only }) }).map(field.fieldErrorText);

const ofSpec = (spec: JsonObject): readonly string[] => told(thingSchema(spec));

test("a structural schema is told nothing", () => {
  const items = { type: "object", required: ["k"], properties: { k: { type: "string", default: "a" } } };
  const list = { type: "array", items, "x-orch-list-type": "map", "x-orch-list-map-keys": ["k"] };
  expect(ofSpec({ type: "object", properties: { list }, anyOf: [{ required: ["list"] }] })).toEqual([]);
});

test("all reasons are told at once, each with its place", () => {
  const schema = {
    type: "object",
    nullable: true,
    properties: {
      spec: { properties: { list: { type: "array" }, text: { type: "string", pattern: "(", default: 5 } } },
    },
  };
  expect(told(schema)).toEqual([
    "S.nullable: Forbidden: nullable cannot be true at the root",
    "S.properties[spec].properties[list].items: Required value: must be specified",
    expect.stringMatching(
      /^S\.properties\[spec\]\.properties\[text\]\.pattern: Invalid value: "\(": must be a valid regular/,
    ),
    "S.properties[spec].type: Required value: must not be empty for specified object fields",
    'S.properties[spec].properties[text].default: Invalid value: "integer": S.properties[spec].properties[text].default in body must be of type string: "integer"',
  ]);
});

test("why it is not structural, and what is wrong with its defaults, can be asked alone", () => {
  const schema = thingSchema({ properties: { a: { type: "string", default: 5 } }, nullable: true, $ref: "x" });
  expect(told(schema, "structure")).toEqual([
    "S.properties[spec].type: Required value: must not be empty for specified object fields",
  ]);
  expect(told(schema, "defaults")).toEqual([
    expect.stringContaining("S.properties[spec].properties[a].default: Invalid"),
  ]);
});

describe("defaults are values of their schema", () => {
  const embedded = (more: JsonObject): JsonObject => ({ type: "object", [EMBEDDED]: true, [KEEPS]: true, ...more });
  test.each<[string, JsonObject, readonly string[]]>([
    [
      "which knows all that is in them",
      { type: "object", default: { a: "x", c: 1 }, properties: { a: { type: "string" } } },
      ['S.properties[spec].default: Invalid value: {"a":"x","c":1}: must not have unknown fields'],
    ],
    [
      "without the help of the defaults in it",
      { type: "object", default: {}, required: ["a"], properties: { a: { type: "string", default: "x" } } },
      ["S.properties[spec].default.a: Required value"],
    ],
    [
      "that say everything which a resource says",
      embedded({ default: { apiVersion: "v1", metadata: { name: 5 } } }),
      [
        "S.properties[spec].default.kind: Required value: must not be empty",
        'S.properties[spec].default.metadata.name: Invalid value: "number 5": must be a string, found number 5',
      ],
    ],
    [
      "and metadata that could stand in a resource",
      embedded({
        properties: {
          kind: { type: "string", default: "a b" },
          metadata: {
            type: "object",
            properties: { name: { type: "string", default: "fine" }, generation: { type: "integer", default: -1 } },
          },
        },
      }),
      [
        expect.stringMatching(
          /^S\.properties\[spec\]\.properties\[kind\]\.default: Invalid value: "a b": must result in valid metadata: kind: Invalid value: "a b": may have mixed case/,
        ) as unknown as string,
        "S.properties[spec].properties[metadata].properties[generation].default: Invalid value: -1: must result in valid metadata: metadata.generation: Invalid value: -1: must be greater than or equal to 0",
      ],
    ],
    [
      "with no item twice where none may be, before 1.25",
      { type: "array", items: { type: "string" }, "x-orch-list-type": "set", default: ["a", "a"] },
      ['S.properties[spec].default[1]: Duplicate value: "a"'],
    ],
  ])("%s", (_how, spec, errors) => {
    expect(ofSpec(spec)).toEqual(errors);
  });
});

test("a schema that is too deep or too large has only that error", () => {
  let deep: JsonObject = { type: "string", pattern: "(" };
  for (let level = 0; level < 900; level += 1) deep = { type: "array", items: deep };
  expect(ofSpec(deep)).toEqual([expect.stringContaining("S: Forbidden: must not be nested more than")]);
  const properties = Object.fromEntries(Array.from({ length: 250_000 }, (_, at) => [`p${at}`, { type: "string" }]));
  expect(ofSpec({ type: "object", properties })).toEqual([
    expect.stringContaining("S: Too many: 500006: must have at most"),
  ]);
});
