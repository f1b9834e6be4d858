// Issues bound service account tokens. Source: Kubernetes API reference, "TokenRequest".
import type { Vocabulary } from "@orch/schema";
import { type SigningKey, signToken } from "../signed/token-keys";
import { type BoundClaims, boundClaimsJson } from "./account-claims";

export interface AccountTokenIssuer {
  /** Audiences of tokens for which the request names none. */
  readonly audiences: readonly string[];
  /** Issues a token. Rejects when no token can be issued now. */
  issue(claims: BoundClaims): Promise<string>;
}

export interface AccountTokenIssuerDeps {
  readonly vocabulary: Vocabulary;
  /** Returns the current signing key: its file may change. */
  readonly key: () => SigningKey;
  readonly issuer: string;
  readonly audiences: readonly string[];
}

export function accountTokenIssuer({ vocabulary, key, issuer, audiences }: AccountTokenIssuerDeps): AccountTokenIssuer {
  return { audiences, issue: (claims) => signToken(boundClaimsJson(claims, issuer, vocabulary), key()) };
}
