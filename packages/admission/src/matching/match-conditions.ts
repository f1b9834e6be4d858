// Expressions that say whether a webhook or a policy is about a request, once its rules and selectors have said so.
// Source: facts, admission/webhooks.md "matchConditions".
import { type CompiledExpression, compileExpression, type ExpressionBudget, expressionBudget } from "@orch/expressions";
import type { JsonObject, JsonValue, Vocabulary } from "@orch/schema";

export interface MatchConditionSite {
  readonly vocabulary: Vocabulary;
}

export interface ConditionText {
  readonly name: string;
  readonly expression: string;
}

/** What they may look at. */
export interface ConditionValues {
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  /** As a webhook is told it, without its objects. */
  readonly request: JsonObject;
}

export type ConditionOutcome = "holds" | "fails" | { readonly error: string };

/** Compiled when first asked, and kept: most webhooks are asked about little of what there is. */
export class MatchConditions {
  private compiled: readonly (CompiledExpression | string)[] | undefined;

  constructor(
    private readonly texts: readonly ConditionText[],
    private readonly site: MatchConditionSite,
  ) {}

  /** One that does not hold decides, whatever has become of the others. @param budget of the request, shared by all its conditions */
  evaluate(
    { object, oldObject, request }: ConditionValues,
    budget: ExpressionBudget = expressionBudget(),
  ): ConditionOutcome {
    this.compiled ??= this.texts.map(({ expression }) => compileCondition(expression, this.site));
    const values = { object: object ?? null, oldObject: oldObject ?? null, request } satisfies Record<
      string,
      JsonValue
    >;
    const errors: string[] = [];
    for (const [at, condition] of this.compiled.entries()) {
      const outcome = typeof condition === "string" ? failed(condition) : condition.evaluate(values, budget);
      if (outcome.kind === "value" && outcome.value === false) return "fails";
      if (outcome.kind === "error")
        errors.push(`match condition ${JSON.stringify(this.texts[at]?.name)}: ${outcome.message}`);
    }
    return errors.length === 0 ? "holds" : { error: errors.join("; ") };
  }
}

const failed = (message: string) => ({ kind: "error", message }) as const;

function compileCondition(source: string, { vocabulary }: MatchConditionSite): CompiledExpression | string {
  return compileExpression(source, {
    vocabulary,
    variables: { object: "any", oldObject: "any", request: "anyObject" },
    results: ["bool"],
  });
}
