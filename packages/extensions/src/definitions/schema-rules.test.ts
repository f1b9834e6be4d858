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

test.each<[rule: string, since: string, before: string]>([
  ["quantity(self.text).sign() == 1", "1.28", "1.27"],
  ["sets.contains([1], [1])", "1.29", "1.28"],
  ["'%d'.format([1]) == '1'", "1.29", "1.28"],
  ["isIP(self.text)", "1.30", "1.29"],
  ["!format.dns1123Label().validate(self.text).hasValue()", "1.31", "1.30"],
  ["[1].all(i, v, v > i)", "1.32", "1.31"],
  ["isSemver(self.text)", "1.33", "1.32"],
  ["[2, 1].sort()[0] == 1", "1.34", "1.33"],
  ["[2, 1].sortBy(e, e)[0] == 1", "1.34", "1.33"],
  ["[2, 1].first() == optional.of(2) && [2, 1].last().value() == 1", "1.34", "1.33"],
])("the rule %s is accepted from %s on, and before only when it is stored already", (rule, since, before) => {
  const at = (compatibility: string, old?: JsonObject) => {
    const { strategy } = withSchemaRules(KIND, {
      ...{ vocabulary, types: loadSchema(vocabulary), hasElsewhere: false, compatibility },
    });
    return old === undefined
      ? strategy.validateCreate?.(definitionOf(rule), V1)
      : strategy.validateUpdate?.(definitionOf(rule), old, V1);
  };
  expect(at(since)).toEqual([]);
  expect(at(before)).toMatchObject([{ kind: "Invalid", detail: expect.stringContaining("undeclared reference") }]);
  expect(at(before, definitionOf(rule, "other"))).toEqual([]);
});

test.each<[rule: string]>([
  ["math.abs(-1) == 1"],
  ["math.greatest(1, 2) == 2"],
  ["base64.encode(b'a') == 'YQ=='"],
  ["base64.decode('YQ==') == b'a'"],
  ["cel.bind(x, 1, x == 1)"],
  ["self.text.reverse() == 'a'"],
])("the rule %s uses an addition of Orch, which definitions of the vocabulary of Kubernetes may not", (rule) => {
  const at = (name: "orch" | "kubernetes", old?: string) => {
    const parts = { vocabulary: vocabularyOf(name), types: loadSchema(vocabularyOf(name)), hasElsewhere: false };
    const { strategy } = withSchemaRules(KIND, { ...parts, compatibility: "1.35" });
    const keyword = parts.vocabulary.schemaExtensions.validations;
    const definition = definitionOf(rule, "more", keyword);
    return old === undefined
      ? strategy.validateCreate?.(definition, V1)
      : strategy.validateUpdate?.(definition, definitionOf(rule, old, keyword), V1);
  };
  expect(at("orch")).toEqual([]);
  expect(at("kubernetes")).toMatchObject([{ kind: "Invalid", path: expect.stringMatching(/\[0\]\.rule$/) }]);
  expect(at("kubernetes", "other")).toEqual([]);
});

test.each([
  ["duration('x') == duration('1s')", "invalid duration argument"],
  ["timestamp('x') == timestamp('y')", "invalid timestamp argument"],
])("the rule %s has an invalid literal, which new definitions may not have since 1.29", (rule, problem) => {
  const at = (compatibility: string) =>
    withSchemaRules(KIND, {
      ...{ vocabulary, types: loadSchema(vocabulary), hasElsewhere: false, compatibility },
    }).strategy.validateCreate?.(definitionOf(rule), V1);
  expect(at("1.29")).toMatchObject([{ kind: "Invalid", detail: expect.stringContaining(problem) }]);
  expect(at("1.28")).toEqual([]);
});

/** @param more name of a further property, which makes another schema */
function definitionOf(rule: string, more = "more", keyword = "x-orch-validations"): JsonObject {
  const spec = {
    type: "object",
    properties: { text: { type: "string", maxLength: 9 }, [more]: { type: "string" } },
    [keyword]: [{ rule }],
  };
  return {
    spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: { type: "object", properties: { spec } } } }] },
  };
}

test("short ones are judged at once", () => {
  expect(errorsOf(["self.count > 0"], true)).toEqual([]);
  expect(errorsOf(["self.counts > 0"], true)).toMatchObject([{ kind: "Invalid" }]);
});

test.each<[how: string, schema: JsonObject, errors: readonly object[]]>([
  [
    "an error of its type",
    { type: "string", default: 1 },
    [{ kind: "TypeInvalid", path: expect.stringMatching(/properties\[spec\]\.default$/) }],
  ],
  ["an error of its length", { type: "string", maxLength: 1, default: "ab" }, [{ kind: "TooLong" }]],
  [
    "an error of a rule",
    { type: "string", maxLength: 9, default: "b", "x-orch-validations": [{ rule: "self == 'a'" }] },
    [{ kind: "Invalid", detail: "failed rule: self == 'a'" }],
  ],
  [
    "an error of a rule below it",
    {
      type: "object",
      properties: {
        a: { type: "string", maxLength: 9, "x-orch-validations": [{ rule: "self == 'a'", message: "no" }] },
      },
      default: { a: "b" },
    },
    [{ kind: "Invalid", path: expect.stringMatching(/\.default\.a$/), detail: "no" }],
  ],
  [
    "an error of a rule about a new value",
    {
      type: "string",
      maxLength: 9,
      default: "b",
      "x-orch-validations": [{ rule: "oldSelf.hasValue()", optionalOldSelf: true }],
    },
    [{ kind: "Invalid", detail: "failed rule: oldSelf.hasValue()" }],
  ],
  [
    "no error of a rule that it keeps",
    { type: "string", maxLength: 9, default: "a", "x-orch-validations": [{ rule: "self == 'a'" }] },
    [],
  ],
  [
    "no error of items that occur twice, and of the type integer or string",
    {
      type: "object",
      properties: {
        set: { type: "array", items: { type: "string" }, "x-orch-list-type": "set", default: ["a", "a"] },
        port: { "x-orch-int-or-string": true, default: true },
      },
    },
    [],
  ],
])("a default has %s", (_how, spec, errors) => {
  const parts = { vocabulary, types: loadSchema(vocabulary), hasElsewhere: false, hasErrorKinds: true };
  const { strategy } = withSchemaRules(KIND, parts);
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const found = strategy.validateCreate?.({ spec: { versions: [{ name: "v1", schema }] } }, V1);
  expect(found).toEqual(errors.map((error) => expect.objectContaining(error)));
});

test.each<[how: string, rule: JsonObject, errors: readonly object[]]>([
  ["a message of any length", { rule: "self == 'a'", message: "x".repeat(5000) }, []],
  [
    "a path with a space",
    { rule: "self == 'a'", fieldPath: " .a" },
    [{ kind: "Invalid", detail: "must be a valid path" }],
  ],
  [
    "a path with a line break",
    { rule: "self == 'a'", fieldPath: ".a\n" },
    [{ detail: "must not contain line breaks" }, { detail: "must be a valid path" }],
  ],
  [
    "optionalOldSelf beside a rule that does not compile",
    { rule: "self == oldSelf", optionalOldSelf: true },
    [{ path: expect.stringMatching(/\.rule$/) }, { path: expect.stringMatching(/\.optionalOldSelf$/) }],
  ],
])("a rule has %s", (_how, rule, errors) => {
  const { strategy } = withSchemaRules(KIND, { vocabulary, types: loadSchema(vocabulary), hasElsewhere: false });
  const spec = { type: "string", maxLength: 9, "x-orch-validations": [rule] };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  const found = strategy.validateCreate?.({ spec: { versions: [{ name: "v1", schema }] } }, V1);
  expect(found).toEqual(errors.map((error) => expect.objectContaining(error)));
});
