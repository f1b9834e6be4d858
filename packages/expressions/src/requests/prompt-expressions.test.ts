import { expect, test } from "@jest/globals";
import { dynamicValue } from "../schema/schema-value";
import { BOOL, DYN } from "../values/cel-type";
import { PromptExpressions, PromptRun } from "./prompt-expressions";
import { compileRequestExpression, RequestExpression } from "./request-expression";

const VALUES = [dynamicValue({ name: "a", list: Array.from({ length: 100 }, (_, index) => index) })];

function expressionsOf(...sources: readonly string[]): PromptExpressions {
  return new PromptExpressions(
    sources.map((source) => {
      const compiled = compileRequestExpression(source, {
        variables: [{ name: "object", type: DYN }],
        results: [BOOL],
        takesAny: true,
      });
      if (!(compiled instanceof RequestExpression)) throw new Error(compiled);
      return compiled;
    }),
  );
}

test.each([
  ["all hold", ["object.name == 'a'", "object.list.all(x, x >= 0)", "!has(object.other)"], true],
  ["there are none", [], true],
  ["one does not", ["object.name == 'a'", "object.name == 'b'"], false],
  ["one fails", ["object.name == 'a'", "object.other == 'b'"], false],
  ["one is no answer", ["object.name"], false],
  ["one takes long", ["object.list.all(x, object.list.all(y, x + y >= 0))"], false],
] as const)("where %s", (_, sources, holds) => {
  const run = new PromptRun(VALUES);
  expect(expressionsOf(...sources).hold(run)).toBe(holds);
});

test("evaluations have separate budgets and share no state", () => {
  const some = expressionsOf("object.list.all(x, x >= 0)", "object.list.exists(x, x == 99)");
  const run = new PromptRun(VALUES);
  expect(some.hold(run)).toBe(true);
  const { work } = run;
  expect(work).toBeGreaterThan(0);
  for (let again = 0; again < 100; again += 1) expect(some.hold(run)).toBe(true);
  expect(run.work).toBe(work);
});

test("a pattern is paid for by all who use it", () => {
  const some = expressionsOf("object.name.matches('^[a-z]+$')");
  const run = new PromptRun(VALUES);
  some.hold(run);
  const { work } = run;
  some.hold(run);
  expect(run.work).toBe(work);
});
