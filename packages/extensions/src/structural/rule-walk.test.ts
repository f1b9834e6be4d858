import { expect, test } from "@jest/globals";
import { field } from "@orch/machinery";
import type { JsonObject, JsonValue } from "@orch/schema";
import type { RuleLanguage } from "./place-rules";
import { take } from "./testing/compiled";

const RULES = "x-orch-validations";
const says = (...rules: string[]): JsonObject => ({ [RULES]: rules.map((rule) => ({ rule })) });

interface Asked {
  readonly rules: readonly string[];
  readonly path: string;
  readonly self: JsonValue;
  readonly old: JsonValue | undefined;
}

/** Returns a language that records its calls. Its rule "no" always fails. */
function notingLanguage() {
  const asked: Asked[] = [];
  const compiled: string[] = [];
  const budgets = new Set<object>();
  const language: RuleLanguage = {
    compile: (node, { isResource }) => {
      const rules = (node[RULES] as { rule: string }[]).map(({ rule }) => rule);
      compiled.push(`${rules.join()}${isResource ? " of a resource" : ""}`);
      return {
        errors: ({ self, old, path }, budget) => {
          asked.push({ rules, path: path(), self, old });
          budgets.add(budget);
          return rules.includes("no") ? [field.invalid(path(), self, "is never kept")] : [];
        },
      };
    },
    *preparing() {},
    budget: () => ({ spent: 0 }),
  };
  return { language, asked, compiled, budgets };
}

const schema: JsonObject = {
  type: "object",
  properties: {
    list: {
      type: "array",
      "x-orch-list-type": "map",
      "x-orch-list-map-keys": ["k"],
      items: {
        type: "object",
        required: ["k"],
        properties: { k: { type: "string" }, v: { type: "integer", ...says("v") } },
      },
    },
    plain: { type: "array", items: { type: "string", ...says("item") } },
    map: { type: "object", additionalProperties: { type: "integer", ...says("entry") } },
    resource: {
      type: "object",
      "x-orch-embedded-resource": true,
      "x-orch-preserve-unknown-fields": true,
      ...says("no"),
    },
    other: { type: "string" },
  },
};

test("each rule is asked of the values of its place, and told what they were before where that is known", () => {
  const { language, asked, compiled, budgets } = notingLanguage();
  const next = {
    list: [
      { k: "b", v: 2 },
      { k: "a", v: 1 },
    ],
    plain: ["x"],
    map: { e: 1, f: 2 },
    other: "o",
  };
  const old = {
    list: [
      { k: "a", v: 10 },
      { k: "b", v: 20 },
    ],
    plain: ["x"],
    map: { e: 5 },
  };
  expect(take(schema, next, { rules: language }, old).errors).toEqual([]);
  expect(asked).toEqual([
    { rules: ["v"], path: "spec.list[0].v", self: 2, old: 20 },
    { rules: ["v"], path: "spec.list[1].v", self: 1, old: 10 },
    { rules: ["item"], path: "spec.plain[0]", self: "x", old: undefined },
    { rules: ["entry"], path: "spec.map[e]", self: 1, old: 5 },
    { rules: ["entry"], path: "spec.map[f]", self: 2, old: undefined },
  ]);
  expect(compiled).toEqual(["v", "item", "entry"]);
  expect(budgets.size).toBe(1);
});

test("the error of a rule is returned", () => {
  const { language, compiled } = notingLanguage();
  const resource = { apiVersion: "v1", kind: "Pod" };
  expect(take(schema, { resource }, { rules: language }).errors).toEqual([
    'spec.resource: Invalid value: {"kind":"Pod","apiVersion":"v1"}: is never kept',
  ]);
  expect(compiled).toEqual(["no of a resource"]);
});

test("no rule is asked of an object that is not what its schema says", () => {
  const { language, asked } = notingLanguage();
  expect(take(schema, { plain: ["x"], other: 5 }, { rules: language }).errors).toHaveLength(1);
  expect(asked).toEqual([]);
});
