// Bearer tokens: reads them from the request and asks every method that knows tokens. Source: access-control, "Methods".
import {
  type AuthenticationOutcome,
  type AuthenticationRequest,
  type Authenticator,
  failed,
  NOT_APPLICABLE,
} from "./authenticator";

/** A method that recognises tokens: a file of them, signed ones, a remote service. */
export interface TokenAuthenticator {
  /**
   * @param request that brought the token, for what it says beside it
   * @returns notApplicable for a token that is none of this method's
   */
  authenticateToken(
    token: string,
    request: AuthenticationRequest,
  ): AuthenticationOutcome | Promise<AuthenticationOutcome>;
}

/** A token has no more characters than a request's headers may have bytes. */
const TOKEN_MAX_LENGTH = 16 * 1024;

const UNKNOWN_TOKEN = failed("bearer token is not known");
const MALFORMED_HEADER = failed("Authorization header holds no single bearer token");
const TOO_LONG = failed(`bearer token is longer than ${TOKEN_MAX_LENGTH} characters`);

/**
 * A request with a bearer token that no method accepts fails; one with another kind of Authorization header, or with none, carries
 * no credential as far as this is concerned.
 * @param methods asked in order until one accepts
 */
export function bearerTokenAuthenticator(methods: readonly TokenAuthenticator[]): Authenticator {
  return {
    authenticate(request) {
      const { authorization } = request.headers;
      const scheme = typeof authorization === "string" ? BEARER.exec(authorization) : null;
      if (typeof authorization !== "string" || scheme === null) return NOT_APPLICABLE;
      const token = authorization.slice(scheme[0].length).trim();
      if (token.length > TOKEN_MAX_LENGTH) return TOO_LONG;
      if (token === "" || /\s/.test(token)) return MALFORMED_HEADER;
      return ask(methods, 0, { token, request }, UNKNOWN_TOKEN);
    },
  };
}

const BEARER = /^\s*bearer(\s|$)/i;

function ask(
  methods: readonly TokenAuthenticator[],
  start: number,
  given: { readonly token: string; readonly request: AuthenticationRequest },
  failure: AuthenticationOutcome,
): AuthenticationOutcome | Promise<AuthenticationOutcome> {
  let worst = failure;
  for (let index = start; index < methods.length; index++) {
    const outcome = (methods[index] as TokenAuthenticator).authenticateToken(given.token, given.request);
    if (outcome instanceof Promise) {
      return outcome.then((late) => {
        if (late.kind === "authenticated") return late;
        return ask(methods, index + 1, given, late.kind === "failed" ? late : worst);
      });
    }
    if (outcome.kind === "authenticated") return outcome;
    if (outcome.kind === "failed") worst = outcome;
  }
  return worst;
}
