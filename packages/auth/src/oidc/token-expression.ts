// Expressions over what a token says, as far as this package knows of them: the language is handed in.
import type { JsonObject } from "@orch/schema";

export type ExpressionValue = boolean | string | readonly string[] | null;

/** What an expression looks at: all claims of a token, or the user that was made from them. */
export type ExpressionSubject = "claims" | "user";

/** What an expression may answer: texts stands for one, several, or none. */
export type ExpressionResult = "boolean" | "text" | "texts";

/** What the expressions of one token may cost together, in units of the language. */
export interface ExpressionBudget {
  left: number;
}

export interface TokenExpression {
  readonly source: string;
  /** Whether it looks at a claim of that name. */
  reads(claim: string): boolean;
  /** @throws Error where it cannot say, or where the budget is spent */
  evaluate(subject: JsonObject, budget: ExpressionBudget): ExpressionValue;
}

export interface ExpressionLanguage {
  /** @returns text: why it cannot be used */
  compile(source: string, subject: ExpressionSubject, result: ExpressionResult): TokenExpression | string;
}

/** Some tens of milliseconds at most: authentication is not interrupted. */
export const newExpressionBudget = (): ExpressionBudget => ({ left: 400_000 });
