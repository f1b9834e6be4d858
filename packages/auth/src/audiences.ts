// For whom a token is good. Source: access-control, "Methods"; facts, http.md "Authentication, impersonation".
import { type AuthenticationOutcome, failed } from "./authenticator";
import type { TokenAuthenticator } from "./bearer-token";

const FOR_NONE = failed("the token is for none of the audiences");

/**
 * A method whose tokens say nothing of an audience: they are for this server, by whatever name it is asked for.
 * @param own the server's names, as `--api-audiences` has them
 */
export function forThisServer(own: readonly string[], method: TokenAuthenticator): TokenAuthenticator {
  return {
    authenticateToken(token, request) {
      const { audiences } = request;
      if (audiences.length === 0) return method.authenticateToken(token, request);
      const common = audiences.filter((each) => own.includes(each));
      if (common.length === 0) return FOR_NONE;
      const outcome = method.authenticateToken(token, request);
      return outcome instanceof Promise ? outcome.then((late) => goodFor(common, late)) : goodFor(common, outcome);
    },
  };
}

function goodFor(audiences: readonly string[], outcome: AuthenticationOutcome): AuthenticationOutcome {
  return outcome.kind === "authenticated" ? { ...outcome, audiences } : outcome;
}
