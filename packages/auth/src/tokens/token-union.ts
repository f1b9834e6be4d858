// Combines token methods into one.
import {
  type AuthenticationOutcome,
  bothRefused,
  NOT_APPLICABLE,
  type Refused,
  type TokenAuthenticator,
  type TokenCacheLifetime,
  type TokenQuestion,
} from "../authentication/authenticator";

/**
 * Creates the union. The methods are called in order until one accepts. A refusal does not stop the others; if none
 * accepts, the reasons are joined.
 */
export function tokenUnion(methods: readonly TokenAuthenticator[]): TokenAuthenticator {
  return { authenticateToken: (token, question) => ask(methods, 0, { token, question }, undefined) };
}

interface Given {
  readonly token: string;
  readonly question: TokenQuestion;
}

function ask(
  methods: readonly TokenAuthenticator[],
  start: number,
  given: Given,
  refused: Refused | undefined,
): AuthenticationOutcome | Promise<AuthenticationOutcome> {
  let sofar = refused;
  for (let index = start; index < methods.length; index++) {
    const outcome = (methods[index] as TokenAuthenticator).authenticateToken(given.token, given.question);
    if (outcome instanceof Promise) {
      return outcome.then((late) =>
        late.kind === "authenticated" ? late : ask(methods, index + 1, given, joined(sofar, late)),
      );
    }
    if (outcome.kind === "authenticated") return outcome;
    sofar = joined(sofar, outcome);
  }
  return sofar ?? NOT_APPLICABLE;
}

function joined(before: Refused | undefined, outcome: AuthenticationOutcome): Refused | undefined {
  if (outcome.kind !== "failed") return before;
  if (before === undefined) return outcome;
  const standing = both(before.standing, outcome.standing);
  return { ...bothRefused(before, outcome), ...(standing && { standing }) };
}

/** Joins two standings: the result holds while both do. */
function both(
  one: TokenCacheLifetime | undefined,
  other: TokenCacheLifetime | undefined,
): TokenCacheLifetime | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const untilMs = Math.min(one.untilMs ?? Infinity, other.untilMs ?? Infinity);
  const forMs = Math.min(one.forMs ?? Infinity, other.forMs ?? Infinity);
  return {
    ...(untilMs === Infinity ? {} : { untilMs }),
    ...(forMs === Infinity ? {} : { forMs }),
    holds: () => (one.holds?.() ?? true) && (other.holds?.() ?? true),
  };
}
