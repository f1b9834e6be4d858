// Evaluates one policy for one request with one parameter: match conditions first, then its other expressions. Source:
// KEP-3488, "CEL for Admission Control", for the cost limits.
import {
  type CelValue,
  LazyValues,
  type RequestExpression,
  type RequestOutcome,
  requestBudget,
} from "@orch/expressions";
import { EVALUATION_YIELDER } from "./evaluation-yielder";
import type { Compiled, CompiledPolicy, NamedExpression } from "./policy-compilation";
import { PLACE } from "./policy-site";

/** Cost budget of one policy for one request, without its match conditions. */
const POLICY_COST_MAX = 10_000_000;
const CONDITIONS_COST_MAX = 2_500_000;

/** Steps of an evaluation in addition to those of the expression. */
const ASKING_STEPS = 20;

const SPENT = "validation failed due to running out of cost budget, no further validation rules will be run";

export type Failure = {
  readonly kind: "failure";
  readonly message: string;
  readonly why: "compile" | "invalid" | "budget";
};
export type EvaluatedValue = { readonly kind: "value"; readonly value: CelValue } | Failure;

export class PolicyRun {
  private readonly values: readonly CelValue[];

  /** @param values of all variables except the policy's own */
  constructor(
    private readonly policy: CompiledPolicy,
    values: readonly CelValue[],
    private readonly budget = requestBudget(POLICY_COST_MAX),
  ) {
    this.values = policy.variables.size === 0 ? values : this.withVariables(values);
  }

  private withVariables(values: readonly CelValue[]): readonly CelValue[] {
    const all = values.slice();
    all[PLACE.variables] = new LazyValues(
      this.policy.variables,
      () => this.values,
      this.budget,
      () => EVALUATION_YIELDER.next(),
    );
    return all;
  }

  /** Returns a run over other values with the same budget. */
  over(values: readonly CelValue[]): PolicyRun {
    return new PolicyRun(this.policy, values, this.budget);
  }

  /** Returns whether the policy applies. A false condition decides, even when others fail. */
  async conditions(): Promise<boolean | Failure> {
    const { conditions } = this.policy;
    if (conditions.length === 0) return true;
    const budget = requestBudget(CONDITIONS_COST_MAX);
    let failed: Failure | undefined;
    for (const condition of conditions) {
      const said = await this.say(condition.compiled, condition.source, budget);
      if (said.kind === "value" && said.value === false) return false;
      if (said.kind === "failure") failed ??= said;
    }
    return failed ?? true;
  }

  ask({ compiled, source }: Pick<NamedExpression, "compiled" | "source">): Promise<EvaluatedValue> | EvaluatedValue {
    return this.say(compiled, source, this.budget);
  }

  private say(
    compiled: Compiled,
    source: string,
    budget: ReturnType<typeof requestBudget>,
  ): Promise<EvaluatedValue> | EvaluatedValue {
    if (typeof compiled === "string")
      return { kind: "failure", why: "compile", message: `compilation error: ${compiled}` };
    if (budget.isSpent) return { kind: "failure", why: "budget", message: SPENT };
    const before = budget.work;
    const outcome = compiled.evaluate(this.values, budget);
    return outcome.kind === "pending" || EVALUATION_YIELDER.isOverAfter(ASKING_STEPS + budget.work - before)
      ? this.later(compiled, source, budget, outcome)
      : said(outcome, source);
  }

  private async later(
    compiled: RequestExpression,
    source: string,
    budget: ReturnType<typeof requestBudget>,
    first: RequestOutcome,
  ): Promise<EvaluatedValue> {
    let outcome = first;
    while (outcome.kind === "pending") {
      await outcome.arrive();
      await EVALUATION_YIELDER.pause();
      outcome = compiled.evaluate(this.values, budget);
    }
    await EVALUATION_YIELDER.pause();
    return said(outcome, source);
  }
}

function said(outcome: Exclude<RequestOutcome, { kind: "pending" }>, source: string): EvaluatedValue {
  switch (outcome.kind) {
    case "value":
      return outcome;
    case "exhausted":
      return outcome.scope === "object"
        ? { kind: "failure", why: "budget", message: SPENT }
        : failed(source, "operation cancelled: actual cost limit exceeded", "budget");
    case "error":
      return failed(source, outcome.message, "invalid");
  }
}

const failed = (source: string, message: string, why: Failure["why"]): Failure => ({
  kind: "failure",
  why,
  message: `expression '${source.trim()}' resulted in error: ${message}`,
});
