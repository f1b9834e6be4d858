// What is configured of one issuer of tokens, read and compiled. Options of the command line and files come to the same.
// Source: facts, flags.json "authenticationConfiguration".
import type { SignatureAlgorithm } from "./signature-algorithm";
import type { TokenExpression } from "./token-expression";

export interface JwtConfiguration {
  readonly issuer: Issuer;
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly claimRules: readonly ClaimRule[];
  readonly username: ClaimMapping;
  readonly groups?: ClaimMapping;
  readonly uid?: ClaimMapping;
  readonly extra: readonly ExtraMapping[];
  readonly userRules: readonly ExpressionRule[];
}

export interface Issuer {
  /** Exactly as tokens have it. */
  readonly url: string;
  /** Of its discovery document; absent: at the well-known place below `url`. */
  readonly discoveryUrl?: string;
  /** PEM; absent: what this machine trusts. */
  readonly ca?: string;
  readonly audiences: readonly string[];
}

export type ClaimMapping =
  | { readonly kind: "claim"; readonly claim: string; readonly prefix: string }
  | { readonly kind: "expression"; readonly expression: TokenExpression };

export type ClaimRule =
  | { readonly kind: "claim"; readonly claim: string; readonly requiredValue: string }
  | ({ readonly kind: "expression" } & ExpressionRule);

export interface ExpressionRule {
  readonly expression: TokenExpression;
  /** Said, to the log, where the rule is not met; "": nothing beyond the expression. */
  readonly message: string;
}

export interface ExtraMapping {
  readonly key: string;
  readonly value: TokenExpression;
}
