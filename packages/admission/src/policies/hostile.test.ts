// Policies that are meant to take time or memory. None of them may block the event loop.
import { expect, test } from "@jest/globals";
import { builtInResources } from "@orch/apis";
import { ManyValuesError } from "@orch/machinery";
import { runInSlices } from "@orch/platform";
import { type JsonObject, loadSchema } from "@orch/schema";
import {
  bindingOf,
  mutationBindingOf,
  mutationOf,
  PolicyCluster,
  podOf,
  policyOf,
  vocabulary,
} from "../testing/policy-case";
import { EVALUATION_YIELDER } from "./evaluation-yielder";
import { policySteps } from "./policy-compilation";
import { withExpressionRules } from "./policy-expression-rules";

const TENS = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
/** Expression of ten million steps if it were evaluated in full. */
const NESTED = ["a", "b", "c", "d", "e", "f", "g"].reduceRight(
  (body, name) => `${TENS}.all(${name}, ${body})`,
  "a + b + c + d + e + f + g >= 0",
);

/** Counts the turns of the event loop while `work` runs. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work();
  isOver = true;
  return turns;
}

test("expressions of 3 MiB are compiled in many steps, and between them the loop has its turns", async () => {
  const expression = `object.metadata.name != '${"x".repeat(500)}'`;
  const validations = Array.from({ length: (3 * 1024 * 1024) / expression.length }, () => ({ expression }));
  let count = 0;
  function* counted(): ReturnType<typeof policySteps> {
    const steps = policySteps({ validations }, { vocabulary });
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      count += 1;
      yield;
    }
  }
  const turns = await turnsDuring(() => runInSlices(counted(), EVALUATION_YIELDER));
  expect(count).toBeGreaterThanOrEqual(validations.length);
  expect(turns).toBeGreaterThan(2);
});

test("long expressions are compiled in a worker thread at the write", () => {
  const kind = builtInResources(vocabulary, loadSchema(vocabulary)).find(
    (each) => each.kind === "ValidatingAdmissionPolicy",
  );
  if (kind === undefined) throw new Error("the kind is not there");
  const { strategy } = withExpressionRules(kind, { vocabulary, hasElsewhere: true });
  const long = policyOf({ validations: [{ expression: `object.a != '${"x".repeat(10_000)}'` }] });
  expect(() => strategy.validateCreate?.(long, { group: "", version: "v1" })).toThrow(ManyValuesError);
});

test("an expression that would run for seconds ends at its bound, and so does each of many", async () => {
  const validations = Array.from({ length: 12 }, () => ({ expression: NESTED, message: "" }));
  const cluster = new PolicyCluster({
    objects: [policyOf({ validations }), bindingOf({ validationActions: ["Audit"] })],
  });
  let outcome: Awaited<ReturnType<typeof cluster.ask>> | undefined;
  const turns = await turnsDuring(async () => {
    outcome = await cluster.ask({ object: podOf() });
  });
  // Ten of them use up the cost budget of the policy; the others are not evaluated.
  expect(outcome?.checks).toEqual(validations.map(() => "rules binds out_of_budget audit"));
  const told = JSON.parse(Object.values(outcome?.annotations ?? {})[0] ?? "[]") as { message: string }[];
  expect(told[0]?.message).toContain("operation cancelled: actual cost limit exceeded");
  expect(told.at(-1)?.message).toContain("running out of cost budget");
  expect(turns).toBeGreaterThan(5);
});

test("variables that use one another without end in sight end at the bound", async () => {
  const variables: JsonObject[] = [{ name: "v0", expression: TENS }];
  for (let index = 1; index < 40; index += 1)
    variables.push({ name: `v${index}`, expression: `variables.v${index - 1} + variables.v${index - 1}` });
  const cluster = new PolicyCluster({
    objects: [policyOf({ variables, validations: [{ expression: "variables.v39.size() > 0" }] }), bindingOf()],
  });
  expect((await cluster.ask({ object: podOf() })).refused).toMatch(/cost/);
});

test("a thousand policies that do not match cost nothing but their names; those that do all have their say", async () => {
  const many = Array.from({ length: 1000 }, (_, index) => [
    policyOf(
      { validations: [{ expression: `object.metadata.name != 'pod-${index}'`, message: `${index}` }] },
      `p${String(index).padStart(4, "0")}`,
    ),
    bindingOf({}, `b${index}`, `p${String(index).padStart(4, "0")}`),
  ]).flat();
  const cluster = new PolicyCluster({ objects: many });
  expect((await cluster.ask({ object: podOf() })).refused).toBeUndefined();
  expect((await cluster.ask({ object: podOf({}, { name: "pod-999" }) })).refused).toContain("denied request: 999");
  const other = { group: "apps", resource: "deployments", object: { metadata: { name: "pod-1", namespace: "shop" } } };
  expect((await cluster.ask(other)).refused).toBeUndefined();
});

test("a mutation that copies much is applied by another thread where one exists", async () => {
  const copies = Array.from(
    { length: 8 },
    (_, at) => `JSONPatch{op: 'copy', from: '/metadata/labels/a0', path: '/metadata/labels/b${at}'}`,
  );
  const mutation = { patchType: "JSONPatch", jsonPatch: { expression: `[${copies.join()}]` } };
  const objects = [mutationOf({ mutations: [mutation] }), mutationBindingOf()];
  const labelled = (bytes: number) => podOf({}, { labels: { a0: "x".repeat(bytes) } });
  const onLoop = new PolicyCluster({ objects, valuesHere: 1000 });
  await expect(onLoop.ask({ object: labelled(4000) })).rejects.toThrow(ManyValuesError);
  expect((await onLoop.ask({ object: labelled(40) })).refused).toBeUndefined();
  const alone = await new PolicyCluster({ objects }).ask({ object: labelled(4000) });
  expect(alone.object).toMatchObject({ metadata: { labels: { b7: "x".repeat(4000) } } });
});
