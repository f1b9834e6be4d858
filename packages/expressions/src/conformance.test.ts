// Conformance tests of the CEL specification.
import { expect, test } from "@jest/globals";
import { Budget, ObjectBudget } from "./cost/budget";
import { programOf } from "./evaluation/program";
import { LIBRARY } from "./functions/library";
import { ExpressionError } from "./syntax/expression-error";
import { parseExpression } from "./syntax/parser";
import { type ConformanceCase, conformanceCases } from "./testing/conformance-case";
import { check } from "./typing/checker";
import { typeText } from "./values/cel-type";
import { CelList, CelMap, type CelValue, typeNameOf } from "./values/cel-value";
import { equal } from "./values/equality";
import { EvaluationError } from "./values/evaluation-error";

/** Reason for each expected failure, by name of the test or, with a trailing slash, of its suite. */
const FAILING: Readonly<Record<string, string>> = {
  "block_ext/":
    "cel.block is what programs make of an expression that they optimize; the rules of Kubernetes have no such macro",
  "namespace/namespace/": "a rule stands in no container whose names could be left out",
  ...Object.fromEntries(
    [
      "functions/function_result_type",
      "type_parameters/multiple_parameters_generality",
      "type_parameters/multiple_parameters_generality_2",
      "type_parameters/multiple_parameters_parameterized_ovl",
      "type_parameters/multiple_parameters_parameterized_ovl_2",
    ].map((name) => [`type_deductions/${name}`, "calls a function that the case itself declares"]),
  ),
};

const cases = conformanceCases();
const reasonOf = (name: string): string | undefined =>
  FAILING[name] ?? Object.entries(FAILING).find(([front]) => front.endsWith("/") && name.startsWith(front))?.[1];

test("the cases that need no types of protobuf pass, but for those that are named", () => {
  const wrong: string[] = [];
  let passed = 0;
  for (const each of cases) {
    const failure = failureOf(each);
    if (failure === undefined) passed += 1;
    if (failure !== undefined && reasonOf(each.name) === undefined)
      wrong.push(`${each.name}: ${each.expression}: ${failure}`);
    if (failure === undefined && reasonOf(each.name) !== undefined)
      wrong.push(`${each.name} passes, and is named as failing`);
  }
  process.stdout.write(`conformance of the expression language: ${passed} of ${cases.length} cases pass\n`);
  expect(wrong).toEqual([]);
  expect(passed).toBeGreaterThanOrEqual(1500);
});

function failureOf({
  expression,
  variables,
  bindings,
  isChecked,
  isCheckOnly,
  value,
  type,
}: ConformanceCase): string | undefined {
  const isError = value === undefined;
  try {
    const checked = check(expression, parseExpression(expression), {
      functions: LIBRARY,
      variables: new Map([
        ...variables,
        ...[...bindings.keys()].filter((name) => !variables.has(name)).map((name) => [name, { kind: "dyn" }] as const),
      ]),
      literals: "mixed",
      mode: isChecked ? "checked" : "unchecked",
    });
    if (type !== undefined && typeText(type) !== typeText(checked.type))
      return `is a ${typeText(checked.type)}, not a ${typeText(type)}`;
    if (isCheckOnly) return undefined;
    const names = [...bindings.keys()];
    const slots = names.map((name) => bindings.get(name) as CelValue);
    const made = programOf(checked, names)({ slots, budget: new Budget(new ObjectBudget()) });
    if (isError) return `answers ${shown(made)}, where an error is expected`;
    return isSame(made, value) ? undefined : `answers ${shown(made)}, not ${shown(value)}`;
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof EvaluationError)
      return isError ? undefined : error.message;
    throw error;
  }
}

const STEPS = { step: () => {} };
const isSame = (a: CelValue, b: CelValue): boolean =>
  typeNameOf(a) === typeNameOf(b) && (equal(a, b, STEPS) || (Number.isNaN(a as number) && Number.isNaN(b as number)));

function shown(value: CelValue): string {
  if (value instanceof CelList)
    return `[${Array.from({ length: value.size }, (_, index) => shown(value.at(index))).join(", ")}]`;
  if (value instanceof CelMap)
    return `{${value
      .keys()
      .map((key) => `${shown(key)}: ${shown(value.get(key) as CelValue)}`)
      .join(", ")}}`;
  return typeof value === "string"
    ? JSON.stringify(value)
    : `${typeNameOf(value)} ${typeof value === "object" ? Object.values(value ?? {})[0] : value}`;
}
