import { expect, test } from "@jest/globals";
import { field } from "@orch/machinery";
import { type JsonObject, type JsonValue, vocabularyOf } from "@orch/schema";
import {
  CompiledRule,
  checkDefinitionRules,
  compileRule,
  DefinitionPlaces,
  definitionRuleSteps,
  ExpressionRules,
  ObjectBudget,
  type Outcome,
  type RuleText,
  SchemaTypes,
} from "..";

const vocabulary = vocabularyOf("kubernetes");
const placeOf = (schema: JsonObject, isResource = false) => {
  const self = new SchemaTypes(vocabulary.schemaExtensions).of(schema, isResource);
  if (self === undefined) throw new Error("the schema has no type");
  return { schema, self };
};
function compiled(schema: JsonObject, text: Partial<RuleText> & { rule: string }, isResource = false): CompiledRule {
  const made = compileRule(placeOf(schema, isResource), text);
  if (made instanceof CompiledRule) return made;
  throw new Error(made.map(({ message }) => message).join("\n"));
}
const problems = (schema: JsonObject, text: RuleText): readonly string[] => {
  const made = compileRule(placeOf(schema), text);
  return made instanceof CompiledRule ? [] : made.map(({ part, message }) => `${part}: ${message}`);
};
const run = (schema: JsonObject, rule: string, self: JsonValue, oldSelf?: JsonValue): Outcome =>
  compiled(schema, { rule }).evaluate(self, oldSelf, new ObjectBudget());

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const EVERYTHING = object({
  int: { type: "integer" },
  number: { type: "number" },
  flag: { type: "boolean" },
  text: { type: "string" },
  time: { type: "string", format: "date-time" },
  day: { type: "string", format: "date" },
  span: { type: "string", format: "duration" },
  bytes: { type: "string", format: "byte" },
  port: { "x-kubernetes-int-or-string": true },
  list: { type: "array", items: { type: "integer" } },
  map: { type: "object", additionalProperties: { type: "string" } },
  nothing: { type: "string", nullable: true },
  raw: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  "a.b": { type: "integer" },
  "a-b": { type: "integer" },
  "a/b": { type: "integer" },
  a__b: { type: "integer" },
  namespace: { type: "string" },
  absent: { type: "string" },
  set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
  keyed: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: object({ name: { type: "string" }, value: { type: "integer" } }),
  },
});
const VALUE = {
  int: 5,
  number: 5,
  flag: true,
  text: "añb",
  time: "2024-05-01T12:00:00Z",
  day: "2024-05-01",
  span: "1h30m",
  bytes: "AAE=",
  port: 80,
  list: [1, 2, 9007199254740993n],
  map: { a: "b", "c.d": "e" },
  nothing: null,
  raw: { any: 1 },
  "a.b": 1,
  "a-b": 2,
  "a/b": 3,
  a__b: 4,
  namespace: "n",
  set: ["x", "y"],
  keyed: [
    { name: "a", value: 1 },
    { name: "b", value: 2 },
  ],
};

test.each([
  "self.int == 5 && type(self.int) == int && type(self.number) == double && self.number / 2.0 == 2.5",
  "self.time > timestamp('2024-01-01T00:00:00Z') && self.day.getFullYear() == 2024",
  "self.span == duration('90m') && self.bytes == b'\\x00\\x01' && self.text.size() == 3",
  "type(self.port) == int && self.port == 80 && self.port != 'http'",
  "self.list[2] == 9007199254740993 && self.list.sum() > 9007199254740993 && 2 in self.list",
  "self.map.a == 'b' && self.map['c.d'] == 'e' && 'a' in self.map && self.map.all(k, self.map[k] != '')",
  "has(self.nothing) && has(self.raw)",
  "self.a__dot__b == 1 && self.a__dash__b == 2 && self.a__slash__b == 3 && self.a__underscores__b == 4",
  "self.`a.b` == 1 && self.`a-b` == 2 && self.__namespace__ == 'n'",
  "self.set == ['y', 'x'] && self.set + ['x', 'z'] == ['z', 'y', 'x']",
  "self.keyed.exists_one(k, k.name == 'a' && k.value == 1)",
])("a value is what its schema says: %s", (rule) => {
  expect(run(EVERYTHING, rule, VALUE)).toEqual({ kind: "valid" });
});

test("lists with keys are compared and joined by their keys", () => {
  const swapped = { ...VALUE, keyed: [VALUE.keyed[1] as JsonValue, VALUE.keyed[0] as JsonValue] };
  expect(run(EVERYTHING, "self.keyed == oldSelf.keyed", swapped, VALUE)).toEqual({ kind: "valid" });
  const changed = { ...VALUE, keyed: [{ name: "b", value: 7 }] };
  expect(run(EVERYTHING, "(oldSelf.keyed + self.keyed).map(k, k.value) == [1, 7]", changed, VALUE)).toEqual({
    kind: "valid",
  });
});

test("the kind and names of a resource are typed without a schema", () => {
  const rule = compiled(object({}), { rule: "self.metadata.name.startsWith('x') && self.kind == 'K'" }, true);
  expect(rule.evaluate({ kind: "K", metadata: { name: "xy" } }, undefined, new ObjectBudget())).toEqual({
    kind: "valid",
  });
});

test.each([
  ["self.unknown == 1", "undefined field 'unknown'"],
  ["self.raw.any == 1", "undefined field 'any'"],
  ["self.int == 'a'", "found no matching overload for '_==_' applied to '(int, string)'"],
  ["self.int + self.number > 1.0", "found no matching overload for '_+_' applied to '(int, double)'"],
  ["self.int", "cel expression must evaluate to a bool"],
  ["self.", "Syntax error"],
  ["self.namespace == ''", ""],
])("%s is refused", (rule, message) => {
  expect(problems(EVERYTHING, { rule }).join()).toContain(message);
});

test("an error beside the rule names its member", () => {
  const text = { rule: "self.int > 0", messageExpression: "self.int", fieldPath: ".nowhere", optionalOldSelf: true };
  expect(problems(EVERYTHING, text)).toEqual([
    "messageExpression: messageExpression must evaluate to a string",
    "fieldPath: must be a valid path",
    "optionalOldSelf: may not be set if oldSelf is not used in rule",
  ]);
});

test("a failure carries the message, the reason and the path", () => {
  const node = {
    ...EVERYTHING,
    "x-kubernetes-validations": [
      {
        rule: "self.int > 9",
        messageExpression: "'is %d'.format([self.int])",
        message: "too small",
        fieldPath: ".int",
      },
      {
        rule: "self.int > 9",
        messageExpression: "string(self.list[7])",
        message: " too small ",
        reason: "FieldValueForbidden",
      },
      { rule: "self.int > 9", fieldPath: ".map['c.d']", reason: "FieldValueRequired" },
      { rule: "self.list[9] == 1" },
      { rule: "self.keyed[0].value > 1 || self.absent == ''", message: " a namespace is needed " },
      { rule: "self.int == oldSelf.int" },
    ],
  };
  const rules = new ExpressionRules(vocabulary).compile(node, { isResource: false });
  const errors = rules?.errors({ self: VALUE, old: undefined, path: () => "spec" }, new ObjectBudget()) ?? [];
  expect(errors.map(field.fieldErrorText)).toEqual([
    'spec.int: Invalid value: "object": is 5',
    "spec: Forbidden: too small",
    "spec.map[c.d]: Required value: failed rule: self.int > 9",
    'spec: Invalid value: "object": index out of bounds: 9 evaluating rule: self.list[9] == 1',
    // Errors of a rule with a message name the rule by its message.
    'spec: Invalid value: "object": no such key: absent evaluating rule: a namespace is needed',
  ]);
});

test("a transition rule is asked only when there is a value before, unless that is optional", () => {
  const rule = compiled(EVERYTHING, { rule: "self.int >= oldSelf.int" });
  expect(rule.isTransition).toBe(true);
  expect(rule.evaluate(VALUE, undefined, new ObjectBudget())).toEqual({ kind: "valid" });
  expect(rule.evaluate(VALUE, { ...VALUE, int: 6 }, new ObjectBudget()).kind).toBe("failure");
  const optional = compiled(EVERYTHING, {
    rule: "oldSelf.hasValue() && oldSelf.value().int == 6",
    optionalOldSelf: true,
  });
  expect(optional.isTransition).toBe(false);
  expect(optional.evaluate(VALUE, undefined, new ObjectBudget()).kind).toBe("failure");
  expect(optional.evaluate(VALUE, { ...VALUE, int: 6 }, new ObjectBudget())).toEqual({ kind: "valid" });
});

test("data that is not of its schema's type is an error, not a crash", () => {
  for (const self of [
    { int: "a" },
    { int: 1.5 },
    { int: 1e300 },
    { int: 2n ** 64n },
    { int: {} },
    [],
    "text",
    5,
    true,
  ]) {
    expect(run(EVERYTHING, "self.int > 0", self as JsonValue).kind).toBe("error");
  }
  expect(run(EVERYTHING, "self.time > timestamp(0)", { time: "no time" })).toMatchObject({
    kind: "error",
    message: "invalid data, expected a string of format date-time evaluating rule: self.time > timestamp(0)",
  });
});

const unbounded = object({ list: { type: "array", items: { type: "string" } } });
const bounded = object({ list: { type: "array", maxItems: 10, items: { type: "string", maxLength: 10 } } });
const withRule = (schema: JsonObject, rule: string): JsonObject => ({
  ...schema,
  "x-kubernetes-validations": [{ rule }],
});
const texts = (schema: JsonObject): readonly string[] =>
  checkDefinitionRules(schema, vocabulary, "schema").errors.map(field.fieldErrorText);

test("a rule without bounds is refused, and taken once the schema bounds it", () => {
  const rule = "self.list.all(x, self.list.all(y, x == y))";
  expect(texts(withRule(unbounded, rule))).toEqual([
    "schema.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
    "schema.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
    "schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)",
  ]);
  expect(texts(withRule(bounded, rule))).toEqual([]);
});

test("a rule in a list costs as often as the list has items", () => {
  const items = withRule(object({ text: { type: "string", maxLength: 100 } }), "self.text.contains('abcdefghij')");
  const cost = (more: JsonObject) =>
    checkDefinitionRules(object({ list: { type: "array", items, ...more } }), vocabulary, "schema").estimatedCost;
  expect(cost({ maxItems: 20 })).toBe(2 * cost({ maxItems: 10 }));
  expect(cost({})).toBeGreaterThan(1000 * cost({ maxItems: 10 }));
});

test("oldSelf has no meaning where items cannot be told from one another", () => {
  const items = withRule(object({ name: { type: "string" } }), "self.name == oldSelf.name");
  expect(texts(object({ list: { type: "array", maxItems: 5, items } }))).toEqual([
    'schema.properties[list].items.x-kubernetes-validations[0].rule: Invalid value: "self.name == oldSelf.name": oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[list].items',
  ]);
  const keyed = {
    type: "array",
    maxItems: 5,
    items,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  };
  expect(texts(object({ list: keyed }))).toEqual([]);
});

test("the words around a rule are checked", () => {
  const rules = [
    { rule: " " },
    { rule: "true", message: "a\nb" },
    { rule: "true\n&& true" },
    { rule: "true", reason: "Other" },
  ];
  expect(texts({ ...object({}), "x-kubernetes-validations": rules })).toEqual([
    "schema.x-kubernetes-validations[0].rule: Required value: rule is not specified",
    'schema.x-kubernetes-validations[1].message: Invalid value: "a\\nb": must not contain line breaks',
    "schema.x-kubernetes-validations[2].message: Required value: message must be specified if rule contains line breaks",
    'schema.x-kubernetes-validations[3].reason: Unsupported value: "Other": supported values: "FieldValueRequired", "FieldValueInvalid", "FieldValueForbidden", "FieldValueDuplicate"',
  ]);
});

const FULL = object({
  list: { type: "array", maxItems: 20, items: { type: "string", maxLength: 30 } },
  numbers: { type: "array", maxItems: 20, items: { type: "integer" } },
  map: { type: "object", maxProperties: 10, additionalProperties: { type: "string", maxLength: 30 } },
  text: { type: "string", maxLength: 100 },
});
const LARGEST = {
  list: Array.from({ length: 20 }, () => "x".repeat(30)),
  numbers: Array.from({ length: 20 }, (_, index) => index),
  map: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`key${index}`, "v".repeat(30)])),
  text: "t".repeat(100),
};

test.each([
  "self.list.all(x, x.size() > 0)",
  "self.list.all(x, self.list.exists(y, x == y && y.startsWith('x')))",
  "self.list.exists_one(x, x.contains('xxxxx')) || true",
  "self.list.map(x, x + self.text).all(y, y.endsWith('t'))",
  "self.list.join(',').size() > 0 && self.list.filter(x, x != '').map(x, x.upperAscii()).size() > 0",
  "self.numbers.map(n, n * 2).sum() > 0 && self.numbers.isSorted() && self.numbers.max() > 1",
  "self.map.all(k, self.map[k].matches('^v+$') && k in self.map)",
  "self.map.transformMap(k, v, v.replace('v', self.text)).size() > 0",
  "self.list.transformList(i, v, i > 2, v.substring(1)).size() > 0",
  "self.text.split('').all(c, c == 't') && self.text.findAll('t').size() == 100",
  "cel.bind(both, self.list + self.list, both.all(x, x.lowerAscii() == x))",
  "sets.contains(self.list, self.list) && self.list.indexOf('y') == -1 && 3 in self.numbers",
  "self.?text.orValue('').size() > 0 && self.text.find('t+') == self.text",
  "'%s and %d'.format([self.text, self.numbers[0]]) != '' && (self.text == '' ? false : self.list == self.list)",
])("no run costs more than was estimated: %s", (rule) => {
  const made = compiled(FULL, { rule });
  const budget = new ObjectBudget();
  expect(made.evaluate(LARGEST, undefined, budget).kind).not.toBe("error");
  expect(budget.spent).toBeGreaterThan(0);
  expect(made.estimatedCost).toBeGreaterThanOrEqual(budget.spent);
  expect(made.estimatedCost).toBeLessThan(Number.POSITIVE_INFINITY);
});

test("the rules of a definition are compiled one a step, long ones in several, and stay for its objects", () => {
  const inner = withRule(object({ int: { type: "integer" } }), "self.int > 0");
  const long = Array.from({ length: 200 }, (_, at) => `self.int > ${at}`).join(" || ");
  const schema = withRule(
    object({ a: inner, b: inner, c: withRule(object({ int: { type: "integer" } }), long) }),
    "has(self.a)",
  );
  const places = new DefinitionPlaces(vocabulary);
  const steps = definitionRuleSteps(schema, "schema", places);
  let count = 0;
  for (let step = steps.next(); step.done !== true; step = steps.next()) count += 1;
  expect(count).toBe(2 + 4);
  const rules = new ExpressionRules(vocabulary, places).compile(inner, { isResource: false });
  expect(rules?.errors({ self: { int: 0 }, old: undefined, path: () => "a" }, new ObjectBudget())).toMatchObject([
    { kind: "Invalid", path: "a", detail: "failed rule: self.int > 0" },
  ]);
  expect(places.at(inner, false)?.rules[0]?.compiled).toBe(places.at(inner, false)?.rules[0]?.compiled);
});

test("the rules of a schema are compiled ahead in steps, and not again for its objects", () => {
  const inner = withRule(object({ int: { type: "integer" } }), "self.int > 0");
  const items = withRule(object({ int: { type: "integer" } }), "self.int > 1");
  const schema = object({
    a: inner,
    list: { type: "array", items },
    map: { type: "object", additionalProperties: inner },
  });
  const places = new DefinitionPlaces(vocabulary);
  const rules = new ExpressionRules(vocabulary, places);
  expect([...rules.preparing(schema)]).toHaveLength(2);
  // All rules are compiled: no further step is needed.
  for (const node of [inner, items]) expect(places.compiling(node, false).next().done).toBe(true);
});

test("a rule that does not compile is told for each object, should it ever be stored", () => {
  const rules = new ExpressionRules(vocabulary).compile(withRule(object({}), "self.x > 0"), { isResource: false });
  const [error] = rules?.errors({ self: {}, old: undefined, path: () => "spec" }, new ObjectBudget()) ?? [];
  expect(error?.detail).toContain("rule compile error: compilation failed: ERROR: <input>:1:5: undefined field 'x'");
});

test("the cost of a run does not depend on previous runs", () => {
  const spent = (rule: string) => {
    const budget = new ObjectBudget();
    compiled(FULL, { rule }).evaluate(LARGEST, undefined, budget);
    return budget.work;
  };
  const rule = "self.list.all(x, x.matches(self.text + '|x+'))";
  const first = spent(rule);
  expect(spent(rule)).toBe(first);
  for (let pattern = 0; pattern < 300; pattern += 1) spent(`self.text.matches('a${pattern}')`);
  expect(spent(rule)).toBe(first);
});

test.each<[string, "bounded" | "unbounded"]>([
  ["self.list.join(',').size() > 0", "bounded"],
  ["self.list.filter(x, x != '').join(',').size() > 0", "unbounded"],
  ["self.list[0].split(',').join(',').size() > 0", "unbounded"],
  ["string(self.list.size()).contains('a')", "unbounded"],
  ["string(self.list[0]).contains('a')", "unbounded"],
  ["self.list.map(x, string(1)).size() > 0", "bounded"],
  ["self.?list.orValue([]).all(x, x != 'a')", "unbounded"],
  ["self.?list.orValue([]).size() > 1", "bounded"],
  ["self.?list[?0].orValue('').startsWith('a')", "bounded"],
  ["self.?list[?0].orValue('').contains('a')", "unbounded"],
  ["self.list[?0] == optional.of('a')", "unbounded"],
  ["self.list[?0].hasValue() && self.list[?0].value() == 'a'", "bounded"],
  ["self.list.max().contains('a')", "unbounded"],
  ["self.list[0].charAt(0).contains('a')", "unbounded"],
  ["url(self.list[0]).getHost().contains('a')", "unbounded"],
  ["self.list.first() == optional.none() || self.list.last().value() == 'a'", "unbounded"],
])("the estimated cost of %s is %s", (rule, expected) => {
  const list = { type: "array", maxItems: 10, items: { type: "string", maxLength: 10 } };
  expect(Number.isFinite(compiled(object({ list }), { rule }).estimatedCost)).toBe(expected === "bounded");
});
