// Bearer tokens: reads them from the request. Source: access-control, "Methods".
import { type AuthenticationOutcome, type Authenticator, failed, NOT_APPLICABLE } from "./authenticator";
import type { TokenAuthenticator } from "./tokens/token-method";

/** A token has no more characters than a request's headers may have bytes. */
const TOKEN_MAX_LENGTH = 16 * 1024;

const UNKNOWN = "invalid bearer token";
const UNKNOWN_TOKEN = failed(UNKNOWN);
const MALFORMED_HEADER = failed("Authorization header holds no single bearer token");
const TOO_LONG = failed(`bearer token is longer than ${TOKEN_MAX_LENGTH} characters`);

/**
 * A request with a bearer token that the method does not accept fails; one with another kind of Authorization header, or with none,
 * carries no credential as far as this is concerned.
 */
export function bearerTokenAuthenticator(method: TokenAuthenticator): Authenticator {
  return {
    authenticate(request) {
      const { authorization } = request.headers;
      const scheme = typeof authorization === "string" ? BEARER.exec(authorization) : null;
      if (typeof authorization !== "string" || scheme === null) return NOT_APPLICABLE;
      const token = authorization.slice(scheme[0].length).trim();
      if (token.length > TOKEN_MAX_LENGTH) return TOO_LONG;
      if (token === "" || SPACES.some((space) => token.includes(space))) return MALFORMED_HEADER;
      const outcome = method.authenticateToken(token, request);
      return outcome instanceof Promise ? outcome.then(knownOrFailed) : knownOrFailed(outcome);
    },
  };
}

/** Those that a header may hold: looked for one by one, which over a long token takes a tenth of what one expression does. */
const SPACES = [" ", "\t", "\u00a0"];

const BEARER = /^\s*bearer(\s|$)/i;

function knownOrFailed(outcome: AuthenticationOutcome): AuthenticationOutcome {
  if (outcome.kind === "failed") return { ...outcome, reason: `[${UNKNOWN}, ${outcome.reason}]` };
  return outcome.kind === "notApplicable" ? UNKNOWN_TOKEN : outcome;
}
