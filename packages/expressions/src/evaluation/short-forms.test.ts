// Frequent forms of expressions are compiled to special steps: they must give the same results, at the same cost, as
// their separate parts.
import { expect, test } from "@jest/globals";
import { Budget, ObjectBudget } from "../cost/budget";
import { REQUEST_LIBRARY } from "../functions/library";
import { dynamicValue } from "../schema/schema-value";
import { parseExpression } from "../syntax/parser";
import { check } from "../typing/checker";
import { DYN } from "../values/cel-type";
import { CelMap } from "../values/cel-value";
import { EvaluationError } from "../values/evaluation-error";
import { programOf } from "./program";

const OBJECT = dynamicValue({
  name: "object-1",
  labels: { a: "b", c: "d" },
  list: ["x", "y"],
  deep: { er: { est: "z" } },
});

/** Returns the result, the cost units and the additional steps. */
function runOf(source: string): readonly [unknown, number, number] {
  const checked = check(source, parseExpression(source), {
    functions: REQUEST_LIBRARY,
    variables: new Map([["object", DYN]]),
    literals: "ofOneType",
    mode: source.startsWith("true") ? "unchecked" : "checked",
  });
  const budget = new Budget(new ObjectBudget());
  let made: unknown;
  try {
    const value = programOf(checked, ["object"])({ slots: [OBJECT], budget });
    made = value instanceof CelMap ? "a map" : value;
  } catch (error) {
    if (!(error instanceof EvaluationError)) throw error;
    made = error.message;
  }
  return [made, budget.cost, budget.work];
}

test.each([
  ["object", "a map", 1, 0],
  ["object.name", "object-1", 2, 1],
  ["object.deep.er", "a map", 3, 2],
  ["object.deep.er.est", "z", 4, 3],
  ["object.missing", "no such key: missing", 2, 1],
  ["object.deep.missing.est", "no such key: missing", 3, 2],
  ["object.name.startsWith('object-')", true, 3, 2],
  ["has(object.labels)", true, 1, 2],
  ["!has(object.labels)", false, 2, 2],
  ["has(object.deep.er)", true, 2, 3],
  ["!has(object.deep.er)", false, 3, 3],
  ["has(object.deep.er.est)", true, 3, 4],
  ["!has(object.deep.er.est)", false, 4, 4],
  ["!has(object.missing) || object.missing.size() < 5", true, 2, 2],
  ["object.name.size() < 100", true, 4, 3.125],
  ["object.labels.size() == 2", true, 4, 5],
  ["size(object.list) >= 3", false, 4, 4],
  ["object.deep.size() != 1", false, 4, 5],
  ["true.size() < 1", "no such overload", 0, 4],
  ["object.labels.all(key, key.size() < 100)", true, 14, 13.03125],
  ["object.list.all(index, item, item != string(index))", true, 16, 15.03125],
  ["object.list.exists(item, item == 'y')", true, 14, 9.03125],
  ["object.missing.a == 1 || object.name == 'object-1'", true, 5, 104.125],
  ["object.missing.a == 1 && object.name == 'object-1'", "no such key: missing", 5, 104.125],
  ["object.name in ['a', 'object-1']", true, 14, 3.125],
])("%s", (source, made, cost, steps) => {
  expect(runOf(source)).toEqual([made, cost, steps]);
});
