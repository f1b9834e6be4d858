// Rules and objects that are designed to consume time or memory.
import { expect, test } from "@jest/globals";
import { type JsonObject, type JsonValue, vocabularyOf } from "@orch/schema";
import { growthOf, LINEAR_MAX } from "@orch/testing";
import { CompiledRule, compileRule, EXPRESSION_COST_MAX, ObjectBudget, type Outcome, SchemaTypes } from "./index";

const vocabulary = vocabularyOf("orch");
const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    numbers: { type: "array", items: { type: "integer" } },
    texts: { type: "array", items: { type: "string" } },
    text: { type: "string" },
    times: { type: "array", items: { type: "string", format: "date-time" } },
    map: { type: "object", additionalProperties: { type: "string" } },
  },
};
const SELF = new SchemaTypes(vocabulary.schemaExtensions).of(SCHEMA);

function made(rule: string): CompiledRule | string {
  if (SELF === undefined) throw new Error("the schema has no type");
  const compiled = compileRule({ schema: SCHEMA, self: SELF }, { rule });
  return compiled instanceof CompiledRule ? compiled : compiled.map(({ message }) => message).join();
}

function run(rule: string, self: JsonValue, budget = new ObjectBudget()): Outcome {
  const compiled = made(rule);
  if (typeof compiled === "string") throw new Error(compiled);
  return compiled.evaluate(self, undefined, budget);
}

const COUNT = 20_000;
const OBJECT = {
  numbers: Array.from({ length: COUNT }, (_, index) => index),
  texts: Array.from({ length: COUNT }, (_, index) => `text ${index}`),
  text: "ab".repeat(500_000),
  times: Array.from({ length: COUNT }, () => "2024-05-01T12:00:00Z"),
  map: Object.fromEntries(Array.from({ length: COUNT }, (_, index) => [`key ${index}`, "value"])),
};
/** Returns an expression that doubles a value the given number of times. */
function doubled(start: string, times: number, use: string): string {
  const binds = Array.from({ length: times }, (_, index) => `cel.bind(x${index + 1}, x${index} + x${index}, `).join("");
  return `cel.bind(x0, ${start}, ${binds}x${times}${use}${")".repeat(times + 1)}`;
}

test.each([
  "self.numbers.all(x, self.numbers.all(y, self.numbers.all(z, x + y + z >= 0)))",
  "self.numbers.all(x, self.numbers == self.numbers)",
  "self.numbers.all(x, self.map == self.map)",
  "self.numbers.map(x, self.numbers.map(y, self.numbers)).size() > 0",
  "self.texts.all(x, self.texts.exists_one(y, x == y))",
  "self.texts.all(x, self.text.matches('(a|b|ab)*c'))",
  "self.texts.all(x, self.text.size() > 0)",
  "self.texts.all(x, self.text.contains(x) || true)",
  "self.times.all(t, self.times.all(u, t <= u))",
  "self.times.all(t, t.getHours('America/New_York') >= 0 && t.getHours('Asia/Kathmandu') >= 0)",
  "self.numbers.all(x, self.numbers.exists(y, 1 / 0 == 1 || y == -1))",
  "self.text.split('').map(x, x + x).join(self.text).size() > 0",
  "self.text.replace('a', self.text).size() > 0",
  "self.text.reverse().reverse() == self.text && self.texts.all(x, self.text.reverse() != x)",
  "sets.equivalent(self.texts, self.texts)",
  "'%s'.format([self.numbers.map(x, self.numbers)]) != ''",
  "self.numbers.all(x, self.map.transformMap(k, v, v + v).size() > 0)",
  doubled("self.text", 40, ".size() > 0"),
  doubled("self.texts", 60, ".map(x, x).size() > 0"),
])("a run that would take long is stopped: %s", (rule) => {
  const budget = new ObjectBudget();
  const outcome = run(rule, OBJECT, budget);
  expect(outcome).toMatchObject({ kind: "error", isBudget: true });
  expect(budget.isSpent).toBe(true);
});

test("a stopped rule is counted up to the limit, and no further rule of the object runs", () => {
  const budget = new ObjectBudget();
  const rule = "self.numbers.all(x, x >= 0)";
  for (let time = 0; time < 1000 && !budget.isSpent; time += 1) run(rule, OBJECT, budget);
  expect(budget.isSpent).toBe(true);
  expect(run("true", OBJECT, budget)).toMatchObject({
    kind: "error",
    message: "validation failed due to running out of cost budget, no further validation rules will be run",
  });
  const single = new ObjectBudget();
  run("self.numbers.all(x, self.numbers.all(y, x + y >= 0))", OBJECT, single);
  expect(single.work).toBeLessThan(2 * EXPRESSION_COST_MAX);
});

test.each([
  ["nested too deep", `${"(".repeat(5000)}true${")".repeat(5000)}`],
  ["a list in a list in a list", `${"[".repeat(5000)}1${"]".repeat(5000)} == []`],
  ["a sum of thousands", `${"1 + ".repeat(4000)}1 > 0`],
  ["a chain of thousands", `self${".text".repeat(3000)} == ''`],
  ["a conditional in a conditional", `${"true ? true : ".repeat(1000)}true`],
  ["calls in calls", `${"size(".repeat(3000)}self${")".repeat(3000)} > 0`],
  ["longer than any rule", `'${"a".repeat(200_000)}' == ''`],
  ["a number of thousands of digits", `${"9".repeat(15_000)} > 0`],
  ["a text that does not end", `'${"a".repeat(15_000)}`],
  ["a pattern whose program is large", "self.text.matches('(((a{100}){100}){100})')"],
  ["a pattern that is no pattern", `self.text.matches('${"(".repeat(3000)}')`],
  ["thousands of mistakes", `[${"x, ".repeat(6000)}1] == []`],
])("an expression that is %s is refused", (_what, rule) => {
  const compiled = made(rule);
  expect(typeof compiled).toBe("string");
  expect((compiled as string).length).toBeLessThan(100_000);
});

test.each<[string, (size: number) => string]>([
  ["conditions", (size) => Array.from({ length: size }, (_, index) => `self.numbers.size() > ${index}`).join(" || ")],
  ["elements of a list", (size) => `[${Array.from({ length: size }, (_, index) => index).join(", ")}].size() > 0`],
  [
    "entries of a map",
    (size) => `{${Array.from({ length: size }, (_, index) => `'k${index}': ${index}`).join(", ")}}.size() > 0`,
  ],
  ["characters of a text", (size) => `'${"\\n".repeat(size)}' != ''`],
  ["mistakes", (size) => Array.from({ length: size }, (_, index) => `x${index}`).join(" || ")],
  ["lines", (size) => `${"\n".repeat(size)}true`],
])("compiling is linear in the number of %s", async (_what, rule) => {
  const growth = await growthOf((size) => {
    const text = rule(size);
    return () => made(text);
  }, 150);
  expect(growth).toBeLessThan(LINEAR_MAX);
});

test.each([
  "self.numbers.all(x, x >= 0)",
  "self.texts.exists(x, x == '')",
  "self.text.matches('^(a|b|ab)*$')",
  "self.text.trim() == ''",
  "self.numbers == self.numbers",
  "self.numbers.isSorted()",
])("a run is linear in its object: %s", async (rule) => {
  const growth = await growthOf((size) => {
    const self = { numbers: OBJECT.numbers.slice(0, size), texts: OBJECT.texts.slice(0, size), text: " ".repeat(size) };
    return () => run(rule, self);
  }, 2000);
  expect(growth).toBeLessThan(LINEAR_MAX);
});
