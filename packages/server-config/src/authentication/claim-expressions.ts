// CEL expressions over the claims of a token, and over the user that is made of them.
import type {
  ExpressionLanguage,
  ExpressionSubject,
  ExpressionValue,
  TokenExpression,
  TokenExpressionBudget,
  TokenExpressionResult,
} from "@orch/auth";
import {
  type CompiledExpression,
  compileExpression,
  configuredLimit,
  type ExpressionResult,
  expressionBudget,
  type VariableSchema,
} from "@orch/expressions";
import type { JsonObject, JsonValue, Vocabulary } from "@orch/schema";

/** Maximum number of items: more do not fit into a token. */
const ITEMS_MAX = 6 * 1024;
const TEXT = { type: "string", maxLength: ITEMS_MAX };
const TEXTS = { type: "array", items: TEXT, maxItems: ITEMS_MAX };

const SUBJECTS: Readonly<Record<ExpressionSubject, VariableSchema>> = {
  claims: "anyObject",
  user: {
    type: "object",
    properties: {
      username: TEXT,
      uid: TEXT,
      groups: TEXTS,
      extra: { type: "object", additionalProperties: TEXTS, maxProperties: ITEMS_MAX },
    },
  },
};

const RESULTS: Readonly<Record<TokenExpressionResult, readonly ExpressionResult[]>> = {
  boolean: ["bool"],
  text: ["string"],
  texts: ["string", "list", "null"],
};

/** Maximum cost of one expression, in CEL cost units: the limit of Kubernetes for one validation rule. */
const COST_MAX = 10_000_000;

/** @param release whose functions expressions may use */
export function claimExpressions(vocabulary: Vocabulary, release: string): ExpressionLanguage {
  const limit = configuredLimit(release, vocabulary);
  return {
    compile(source, subject, result) {
      const variables = { [subject]: SUBJECTS[subject] };
      const compiled = compileExpression(source, { vocabulary, variables, results: RESULTS[result], limit });
      if (typeof compiled === "string") return compiled;
      const { estimatedCost } = compiled;
      if (estimatedCost <= COST_MAX) return new ClaimExpression(compiled, subject);
      const factor = Number.isFinite(estimatedCost) ? (estimatedCost / COST_MAX).toFixed(1) : "more than 100";
      return `estimated cost exceeds the limit by a factor of ${factor}`;
    },
  };
}

class ClaimExpression implements TokenExpression {
  constructor(
    private readonly compiled: CompiledExpression,
    private readonly subject: ExpressionSubject,
  ) {}

  get source(): string {
    return this.compiled.source;
  }

  reads(claim: string): boolean {
    return this.compiled.reads(this.subject, claim);
  }

  evaluate(subject: JsonObject, budget: TokenExpressionBudget): ExpressionValue {
    if (budget.left <= 0) throw new Error("the total cost of the expressions exceeds the limit");
    const ofRun = expressionBudget(budget.left);
    const outcome = this.compiled.evaluate({ [this.subject]: subject }, ofRun);
    budget.left -= ofRun.work;
    if (outcome.kind === "error") throw new Error(outcome.message);
    return claimValue(outcome.value);
  }
}

function claimValue(value: JsonValue): ExpressionValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return value as readonly string[];
  throw new Error("must evaluate to a list of strings");
}
