// Objects generated from the types: every kind with every field set, and every field with a wrong value.
import { describe, expect, test } from "@jest/globals";
import type { Field, JsonObject, JsonValue, RuntimeType, StructType } from "../index";
import { loadSchema, parseJson, readJson, vocabularyOf, writeJson } from "../index";
import { fullObject } from "../testing/full-object";
import { decodeStruct } from "./decode";
import { DecodeError } from "./decode-error";
import { DecodeWalk } from "./decode-walk";

const schema = loadSchema(vocabularyOf("orch"));

const everyKind = schema.groupVersions.flatMap(({ id, group, version, kinds }) =>
  kinds.map((kind): [string, string, string, string] => [`${id} ${kind}`, group, version, kind]),
);

test("there are kinds in every group version", () => {
  expect(schema.groupVersions.length).toBe(70);
  expect(schema.groupVersions.filter(({ kinds }) => kinds.length === 0)).toEqual([]);
});

test.each(everyKind)("%s with every field set decodes to itself", (_name, group, version, kind) => {
  const type = schema.objectType(group, version, kind);
  if (type === undefined) throw new Error("no such kind");
  const full = fullObject(type.struct);
  const text = writeJson(full);
  const { value, problems } = type.decode(parseJson(text, { duplicates: "collect" }).value as JsonObject);
  expect(problems).toEqual([]);
  // Fields cut off because types contain themselves may return as null or an empty struct; everything given is kept.
  expect(value).toMatchObject(full);
  const canonical = writeJson(value);
  expect(writeJson(type.decode(readJson(canonical) as JsonObject).value)).toBe(canonical);
});

const everyStruct = [...schema.groupVersions.map(({ id }) => id), "runtime", "version"].flatMap((id) =>
  schema
    .typeNames(id)
    .map((name) => schema.type(id, name))
    .filter((type): type is StructType => type?.kind === "struct"),
);

/** Returns values that the type cannot hold, each with the rest of the error's path after the field's name. */
function wrongValues(type: RuntimeType): [JsonValue, string][] {
  switch (type.kind) {
    case "any":
    case "object":
      return [];
    case "list":
      return [
        ["text", ""],
        [{}, ""],
        ...wrongValues(type.element).map(([value, at]): [JsonValue, string] => [[value], `[0]${at}`]),
      ];
    case "map":
      return [
        [7, ""],
        [[], ""],
        ...wrongValues(type.value).map(([value, at]): [JsonValue, string] => [{ "a.b": value }, `[a.b]${at}`]),
      ];
    case "integer":
      return [
        ["1", ""],
        [1.5, ""],
        [type.bits === 64 ? 2n ** 63n : 2 ** 32, ""],
        [{}, ""],
      ];
    case "intOrString":
      return [
        [2 ** 31, ""],
        [true, ""],
      ];
    case "string":
    case "boolean":
      return [
        [7, ""],
        [[], ""],
      ];
    case "either":
      return [[7, ""]];
    case "number":
    case "struct":
    case "bytes":
    case "quantity":
    case "time":
    case "microTime":
    case "duration":
      return [
        ["no such thing", ""],
        [[], ""],
      ];
  }
}

describe("a wrong value is an error that names its field", () => {
  test("in every field of every type", () => {
    let tried = 0;
    for (const type of everyStruct) {
      for (const field of type.fields) {
        for (const [value, at] of wrongValues(field.type)) {
          const found = pathOfError(type, field, value);
          if (found !== field.name + at) throw new Error(`${type.name}: ${found} instead of ${field.name + at}`);
          tried++;
        }
      }
    }
    expect(tried).toBeGreaterThan(8_000);
  });
});

function pathOfError(type: StructType, field: Field, value: JsonValue): string | undefined {
  try {
    decodeStruct(new DecodeWalk(), type, { [field.name]: structuredClone(value) });
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.path;
    throw error;
  }
}

test("no type has two fields of one name", () => {
  expect(everyStruct.filter((type) => type.fields.length !== type.fieldByName.size)).toEqual([]);
});
