// Registered claims of ID tokens: audience and validity period. Source: RFC 7519; OpenID Connect Core.
import { type JsonObject, memberOf } from "@orch/schema";

export interface Validity {
  readonly audiences: readonly string[];
  /** End of validity, seconds since 1970. */
  readonly expires: number;
}

/** Tolerated clock difference for the start of validity. */
const NOT_BEFORE_LEEWAY_SECONDS = 300;
/** Maximum value of a date. */
const SECONDS_MAX = 1e11;

/**
 * Checks the audience and the validity period.
 * @returns text: why the token is not valid
 */
export function validityOf(
  claims: JsonObject,
  { audiences, nowMs }: { readonly audiences: readonly string[]; readonly nowMs: number },
): Validity | string {
  const given = audiencesOf(claims);
  const common = audiences.filter((each) => given.includes(each));
  if (common.length === 0) return "the token is not issued for any of the issuer's audiences";
  const now = nowMs / 1000;
  const expires = secondsOf(claims, "exp");
  if (expires === undefined) return "the token lacks exp";
  if (now >= expires) return "the token has expired";
  const begins = memberOf(claims, "nbf") === undefined ? 0 : secondsOf(claims, "nbf");
  if (begins === undefined) return "the token's nbf is not a time";
  if (now + NOT_BEFORE_LEEWAY_SECONDS < begins) return "the token is not valid yet";
  return { audiences: common, expires };
}

function audiencesOf(claims: JsonObject): readonly string[] {
  const audience = memberOf(claims, "aud");
  if (typeof audience === "string") return [audience];
  return Array.isArray(audience) ? audience.filter((each) => typeof each === "string") : [];
}

function secondsOf(claims: JsonObject, name: string): number | undefined {
  const value = memberOf(claims, name);
  return typeof value === "number" && value >= 0 && value <= SECONDS_MAX ? value : undefined;
}
