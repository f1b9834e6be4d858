// Tests the kinds of errors of custom resources, and the rules that are evaluated beside errors.
import { describe, expect, test } from "@jest/globals";
import { ExpressionRules } from "@orch/expressions";
import { field } from "@orch/machinery";
import { type JsonObject, type JsonValue, StructObjectType } from "@orch/schema";
import { type CompileOptions, compileSchema, readSchema } from "./compiled-schema";
import { OF_THINGS, ORCH, thingSchema } from "./testing/compiled";

const UNCHECKED =
  "<nil> FieldValueInvalid: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

function errorsOf(spec: JsonObject, value: JsonValue, more: Partial<CompileOptions> = {}): readonly string[] {
  const options = { ...OF_THINGS, rules: new ExpressionRules(ORCH), hasErrorKinds: true, ...more };
  const { type, validate } = compileSchema(readSchema(thingSchema(spec)), options);
  const kind = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" } };
  const { value: object } = new StructObjectType("Thing", type).decode({ ...kind, spec: structuredClone(value) });
  return validate(object).map(
    (error) => `${error.path} ${field.fieldErrorReason(error)}: ${(error.detail ?? "").replace(/^\S+ in body /, "")}`,
  );
}

const RULE = { "x-orch-validations": [{ rule: "false", message: "no" }] };
const ruled = (a: JsonObject): JsonObject => ({ type: "object", properties: { a }, ...RULE });

describe("an error of a custom resource", () => {
  test.each<[of: string, schema: JsonObject, value: JsonValue, error: string]>([
    ["a type", { type: "string" }, 1, 'FieldValueTypeInvalid: must be of type string: "integer"'],
    ["a format", { type: "string", format: "date" }, "x", 'FieldValueTypeInvalid: must be of type date: "x"'],
    ["a length", { type: "string", maxLength: 1 }, "abc", "FieldValueTooLong: must have at most 1 bytes"],
    [
      "a number of items",
      { type: "array", maxItems: 1, items: { type: "string" } },
      ["a", "b"],
      "FieldValueTooMany: must have at most 1 items",
    ],
    [
      "a number of properties",
      { type: "object", maxProperties: 1, additionalProperties: { type: "string" } },
      { a: "b", c: "d" },
      "FieldValueTooMany: must have at most 1 items",
    ],
    ["an enumeration", { type: "string", enum: ["a"] }, "b", 'FieldValueNotSupported: supported values: "a"'],
  ])("has the kind of %s, and rules are not evaluated", (_of, schema, value, error) => {
    expect(errorsOf(ruled(schema), { a: value })).toEqual([`spec.a ${error}`, UNCHECKED]);
    expect(errorsOf({ type: "object", properties: { a: schema } }, { a: value })).toEqual([`spec.a ${error}`]);
  });

  test.each<[of: string, schema: JsonObject, value: JsonValue, error: string]>([
    ["a pattern", { type: "string", pattern: "^b$" }, "a", "should match '^b$'"],
    ["a minimum length", { type: "string", minLength: 2 }, "a", "should be at least 2 chars long"],
    ["a minimum", { type: "integer", minimum: 2 }, 1, "should be greater than or equal to 2"],
    ["a minimum number", { type: "array", minItems: 1, items: { type: "string" } }, [], "should have at least 1 items"],
  ])("about %s leaves the rules to be evaluated", (_of, schema, value, error) => {
    const ofValue = `spec.a FieldValueInvalid: ${error}`;
    expect(errorsOf(ruled(schema), { a: value })).toEqual([ofValue, "spec FieldValueInvalid: no"]);
  });

  test.each<[format: string, schema: JsonObject, value: JsonValue]>([
    ["integer with format int32", { type: "integer", format: "int32" }, 2147483648],
    ["integer with format int32", { type: "integer", format: "int32", maximum: 1e12 }, -2147483649],
    ["integer with format uint32", { type: "integer", format: "uint32" }, -1],
    ["number with format float", { type: "number", format: "float" }, 1e300],
  ])("about the range of %s has no path, and leaves the rules to be evaluated", (format, schema, value) => {
    const ofRange = `<nil> FieldValueInvalid: Checked value must be of type ${format} in spec.a`;
    expect(errorsOf(ruled(schema), { a: value })).toEqual([ofRange, "spec FieldValueInvalid: no"]);
    expect(errorsOf(ruled(schema), { a: value }, { hasErrorKinds: false })).toEqual(["spec FieldValueInvalid: no"]);
  });

  test("is the first of a text's length and pattern", () => {
    const schema = { type: "string", maxLength: 2, pattern: "^b*$" };
    expect(errorsOf({ type: "object", properties: { a: schema } }, { a: "aaa" })).toHaveLength(1);
  });

  test("about items of a list of type map that are no objects is the first", () => {
    const list = {
      type: "array",
      "x-orch-list-type": "map",
      "x-orch-list-map-keys": ["k"],
      items: { "x-orch-preserve-unknown-fields": true },
    };
    expect(
      errorsOf({ type: "object", properties: { list } }, { list: [null, "a", { k: "b" }, "c", { k: "b" }] }),
    ).toEqual(["spec.list[1] FieldValueInvalid: must be an object for an array of list-type map"]);
    expect(errorsOf({ type: "object", properties: { list } }, { list: [null, null, { k: "b" }] })).toEqual([]);
  });

  test("before 1.25 is invalid, whatever its rule, and no rule is evaluated beside it", () => {
    const found = errorsOf(
      ruled({ type: "string", maxLength: 1, pattern: "^b$" }),
      { a: "aa" },
      { hasErrorKinds: false },
    );
    expect(found).toEqual([
      "spec.a FieldValueInvalid: should be at most 1 chars long",
      "spec.a FieldValueInvalid: should match '^b$'",
    ]);
  });
});

test("an update of the status does not validate embedded resources", () => {
  const status = { type: "object", "x-orch-embedded-resource": true, "x-orch-preserve-unknown-fields": true };
  const { validate } = compileSchema(readSchema({ type: "object", properties: { status } }), OF_THINGS);
  const object = { status: { metadata: { name: "A b" } } };
  expect(validate(object, { old: object }).map(({ path }) => path)).toContain("status.kind");
  expect(validate(object, { old: object, isStatus: true })).toEqual([]);
});
