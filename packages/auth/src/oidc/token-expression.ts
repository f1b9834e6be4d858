// Expressions over the claims of a token. The expression language is injected.
import type { JsonObject } from "@orch/schema";

export type ExpressionValue = boolean | string | readonly string[] | null;

/** Input of an expression: all claims of a token, or the user made from them. */
export type ExpressionSubject = "claims" | "user";

/** Result type of an expression. A `texts` result may be one text, several, or none. */
export type ExpressionResult = "boolean" | "text" | "texts";

/** Shared cost limit for the expressions of one token, in units of the language. */
export interface ExpressionBudget {
  left: number;
}

export interface TokenExpression {
  readonly source: string;
  /** Returns whether the expression reads the claim. */
  reads(claim: string): boolean;
  /** @throws Error when evaluation fails or the budget is exhausted */
  evaluate(subject: JsonObject, budget: ExpressionBudget): ExpressionValue;
}

export interface ExpressionLanguage {
  /** @returns text: why the expression is not usable */
  compile(source: string, subject: ExpressionSubject, result: ExpressionResult): TokenExpression | string;
}

/** Creates a budget that allows some tens of milliseconds: authentication is not interrupted. */
export const newExpressionBudget = (): ExpressionBudget => ({ left: 400_000 });
