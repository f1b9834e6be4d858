import { describe, expect, test } from "@jest/globals";
import { type JsonValue, vocabularyOf } from "@orch/schema";
import {
  type CompiledExpression,
  compileExpression,
  type ExpressionResult,
  expressionBudget,
} from "./compiled-expression";

const vocabulary = vocabularyOf("orch");
const TEXT = { type: "string" };
const USER = {
  type: "object",
  properties: {
    name: TEXT,
    groups: { type: "array", items: TEXT },
    extra: { type: "object", additionalProperties: { type: "array", items: TEXT } },
  },
};

function compiled(source: string, results?: readonly ExpressionResult[]): CompiledExpression | string {
  const variables = { user: USER, claims: "anyObject" as const };
  return compileExpression(source, { vocabulary, variables, ...(results === undefined ? {} : { results }) });
}

function resultIn(source: string, values: Record<string, JsonValue>): JsonValue | undefined | { error: string } {
  const expression = compiled(source) as CompiledExpression;
  const outcome = expression.evaluate(values);
  return outcome.kind === "value" ? outcome.value : { error: outcome.message };
}

const ANN = { name: "ann", groups: ["a", "b"], extra: { scopes: ["x"] } };

describe("an expression over the server's own values", () => {
  test.each<[string, JsonValue]>([
    ["user.name == 'ann' && 'b' in user.groups", true],
    ["user.groups.map(group, 'oidc:' + group)", ["oidc:a", "oidc:b"]],
    ["has(user.extra) ? user.extra['scopes'][0] : ''", "x"],
    ["claims.sub + '@' + claims.nested.domain", "s@d"],
    ["claims.roles.filter(role, role.startsWith('r'))", ["r1", "r2"]],
    ["claims.exp > 5 && claims.exp == 7.0", true],
    ["claims.?missing.orValue('none')", "none"],
    ["{'a': [1, 2]}", { a: [1, 2] }],
    ["has(claims.missing)", false],
  ])("%s", (source, value) => {
    expect(
      resultIn(source, { user: ANN, claims: { sub: "s", nested: { domain: "d" }, roles: ["r1", "x", "r2"], exp: 7 } }),
    ).toEqual(value);
  });

  test.each<[string, RegExp]>([
    ["user.nothing == 1", /undefined field 'nothing'/],
    ["claims.", /Syntax error/],
    ["request.name", /undeclared reference to 'request'/],
    ["'x'.repeat(".repeat(20_000), /more than 102400 characters/],
  ])("does not compile: %#", (source, why) => {
    expect(compiled(source)).toEqual(expect.stringMatching(why));
  });

  test("is refused where its type is told to be another, before it runs or when it does", () => {
    expect(compiled("user.name", ["bool"])).toBe("must evaluate to bool");
    const late = compiled("claims.admin", ["bool"]) as CompiledExpression;
    expect(late.evaluate({ claims: { admin: true } })).toEqual({ kind: "value", value: true });
    expect(late.evaluate({ claims: { admin: "yes" } })).toEqual({
      kind: "error",
      message: "it does not evaluate to bool",
    });
  });

  test("that cannot say says so, and does not throw", () => {
    expect(resultIn("claims.sub == 'x'", { claims: {} })).toEqual({ error: "no such key: sub" });
    expect(resultIn("claims.sub == 'x'", {})).toEqual({ error: "no such key: sub" });
    expect(resultIn("has(claims.sub)", {})).toBe(false);
  });

  test("is stopped when it costs too much, alone and with others over the same values", () => {
    const costly = "claims.list.all(a, claims.list.all(b, claims.list.all(c, a != 'x' || b != c)))";
    const list = Array.from({ length: 1000 }, (_, index) => `${index}`);
    expect(resultIn(costly, { claims: { list } })).toEqual({
      error: "operation cancelled: actual cost limit exceeded",
    });
    const budget = expressionBudget();
    const cheap = compiled("claims.list.all(a, claims.list.all(b, a != 'x'))") as CompiledExpression;
    const small = { claims: { list: list.slice(0, 150) } };
    expect(cheap.evaluate(small, budget).kind).toBe("value");
    for (let times = 0; times < 50; times += 1) cheap.evaluate(small, budget);
    expect(cheap.evaluate(small, budget).kind).toBe("error");
  });
});

describe("an expression of the kubernetes vocabulary", () => {
  const limit = { release: "1.36", hasAdditions: false, stored: new Set<string>() };
  const problem = (source: string) => {
    const made = compileExpression(source, { vocabulary, limit, variables: { user: USER, claims: "anyObject" } });
    return typeof made === "string" ? made.split("\n")[0]?.replace("compilation failed: ERROR: <input>:1:", "") : "";
  };

  test.each<[string, string]>([
    ["[claims.a, 'b'].size() == 2", "12: expected type 'dyn' but found 'string'"],
    ["claims.a in ['a', claims.b]", "25: expected type 'string' but found 'dyn'"],
    ["[[claims.a], ['a']].size() == 2", "14: expected type 'list(dyn)' but found 'list(string)'"],
    ["{'a': claims.a, 'b': 'c'}.size() == 2", "22: expected type 'dyn' but found 'string'"],
    ["[dyn(1), 2].size() == 2", "10: expected type 'dyn' but found 'int'"],
    ["[claims.a, claims.b].size() == 2", ""],
    ["[[], ['a']].size() == 2", ""],
    ["{'a': [], 'b': ['a']}.size() == 2", ""],
    ["'%s %s'.format([claims.a, 'b']) == ''", ""],
    ["claims.`a-b` == 1", "8: unsupported syntax: '`'"],
  ])("has literals of one known type and no names in backticks: %s", (source, expected) => {
    expect(problem(source)).toBe(expected);
    expect(typeof compiled(source)).toBe("object");
  });
});
