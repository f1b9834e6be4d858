// Makes the tokens of service accounts that end with time. Source: facts, validation/authentication.md "TokenRequest".
import type { Vocabulary } from "@orch/schema";
import { type SigningKey, signToken } from "../signed/token-keys";
import { type BoundClaims, boundClaimsJson } from "./account-claims";

export interface AccountTokenIssuer {
  /** For whom tokens are where nobody says. */
  readonly audiences: readonly string[];
  /** Rejects where no token can be made now. */
  issue(claims: BoundClaims): Promise<string>;
}

export interface AccountTokenIssuerDeps {
  readonly vocabulary: Vocabulary;
  /** As it is now: its file may change. */
  readonly key: () => SigningKey;
  readonly issuer: string;
  readonly audiences: readonly string[];
}

export function accountTokenIssuer({ vocabulary, key, issuer, audiences }: AccountTokenIssuerDeps): AccountTokenIssuer {
  return { audiences, issue: (claims) => signToken(boundClaimsJson(claims, issuer, vocabulary), key()) };
}
