// Configuration of one issuer of tokens, parsed and compiled. Command-line options and configuration files are
// converted to this form.
// Source: Kubernetes documentation, "Authenticating", "Using Authentication Configuration".
import type { SignatureAlgorithm } from "../tokens/signed/signature-algorithm";
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

interface Issuer {
  /** Issuer URL exactly as tokens contain it. */
  readonly url: string;
  /** URL of the discovery document; absent: the well-known path below `url`. */
  readonly discoveryUrl?: string;
  /** PEM; absent: the CA certificates that this machine trusts. */
  readonly ca?: string;
  readonly audiences: readonly string[];
  /** Network whose dialer opens the connections to the issuer; absent: they are direct. */
  readonly egress?: "controlplane" | "cluster";
}

export type ClaimMapping =
  | { readonly kind: "claim"; readonly claim: string; readonly prefix: string }
  | { readonly kind: "expression"; readonly expression: TokenExpression };

export type ClaimRule =
  | { readonly kind: "claim"; readonly claim: string; readonly requiredValue: string }
  | ({ readonly kind: "expression" } & ExpressionRule);

export interface ExpressionRule {
  readonly expression: TokenExpression;
  /** Log message for a rule that is not met; "": only the expression is logged. */
  readonly message: string;
}

export interface ExtraMapping {
  readonly key: string;
  readonly value: TokenExpression;
}
