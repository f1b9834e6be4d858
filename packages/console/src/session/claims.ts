// Claims of a token. The server verifies tokens; the console reads them to show them.
import { isRecord } from "../values/api-object";

/** Returns the claims of a JSON Web Token, and none of another token. */
export function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  try {
    const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isRecord(claims) ? claims : {};
  } catch {
    return {};
  }
}

export interface TokenFacts {
  readonly issuer?: string;
  /** Time after which the server no longer accepts the token, in the form of RFC 3339. */
  readonly expires?: string;
}

/** Returns what a token says about itself. */
export function factsOf(token: string): TokenFacts {
  const { iss, exp } = claimsOf(token);
  const expires = typeof exp === "number" ? new Date(exp * 1000) : undefined;
  return {
    ...(typeof iss === "string" ? { issuer: iss } : {}),
    ...(expires !== undefined && Number.isFinite(expires.getTime()) ? { expires: expires.toISOString() } : {}),
  };
}
