// Separates definitions that are validated in this thread from those left to another thread.
import { expect, test } from "@jest/globals";
import { type FieldError, ManyValuesError, type ResourceDefinition } from "@orch/machinery";
import { type JsonObject, loadSchema, vocabularyOf } from "@orch/schema";
import { withSchemaRules } from "./schema-rules";

const vocabulary = vocabularyOf("orch");
const KIND = { strategy: {} } as unknown as ResourceDefinition;
const V1 = { group: "apiextensions.orch.io", version: "v1" };

function errorsOf(rules: readonly string[], hasElsewhere: boolean): readonly FieldError[] {
  const { strategy } = withSchemaRules(KIND, { vocabulary, types: loadSchema(vocabulary), hasElsewhere });
  const spec = {
    type: "object",
    properties: { count: { type: "integer" } },
    "x-orch-validations": rules.map((rule): JsonObject => ({ rule })),
  };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  return strategy.validateCreate?.({ spec: { versions: [{ name: "v1", schema }] } }, V1) ?? [];
}

const LONG = Array.from({ length: 300 }, (_, at) => `self.count != ${at}`);

test("long rules are another thread's to judge, where there is one", () => {
  expect(() => errorsOf([LONG.join(" && ")], true)).toThrow(ManyValuesError);
  expect(() => errorsOf(LONG, true)).toThrow(ManyValuesError);
  expect(errorsOf([LONG.join(" && ")], false)).toEqual([]);
});

test("short ones are judged at once", () => {
  expect(errorsOf(["self.count > 0"], true)).toEqual([]);
  expect(errorsOf(["self.counts > 0"], true)).toMatchObject([{ kind: "Invalid" }]);
});
