// Audiences of tokens. Source: Kubernetes documentation, "TokenReview", `spec.audiences`.
import { type AuthenticationOutcome, failed, type TokenAuthenticator } from "./authenticator";

const FOR_NONE = failed("the token is not issued for any of the audiences");

/**
 * Wraps a method whose tokens name no audience: they are valid for this server under each of its audiences.
 * @param own the server's audiences, from `--api-audiences`
 */
export function forThisServer(own: readonly string[], method: TokenAuthenticator): TokenAuthenticator {
  return {
    authenticateToken(token, question) {
      const outcome = method.authenticateToken(token, question);
      const { audiences } = question;
      if (audiences.length === 0) return outcome;
      const common = audiences.filter((each) => own.includes(each));
      return outcome instanceof Promise ? outcome.then((late) => goodFor(common, late)) : goodFor(common, outcome);
    },
  };
}

function goodFor(audiences: readonly string[], outcome: AuthenticationOutcome): AuthenticationOutcome {
  if (outcome.kind !== "authenticated") return outcome;
  return audiences.length === 0 ? FOR_NONE : { ...outcome, audiences };
}
