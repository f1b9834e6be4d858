// Requests without credentials. Source: Kubernetes documentation, "Authenticating", "Anonymous requests".

import { ANONYMOUS_USER, UNAUTHENTICATED_GROUP } from "../identity/well-known-identities";
import { type AuthenticationOutcome, type Authenticator, failed } from "./authenticator";

const ANONYMOUS: AuthenticationOutcome = {
  kind: "authenticated",
  user: { name: ANONYMOUS_USER, groups: [UNAUTHENTICATED_GROUP] },
};

/** Authenticates every request as the anonymous user. Used as the fallback of `unionOf`. */
export const anonymous: Authenticator = { authenticate: () => ANONYMOUS };

/** Requests that may be anonymous: all, or those for certain paths. */
export interface AnonymousAccess {
  readonly enabled: boolean;
  /** Exact paths; empty: any path. */
  readonly paths: readonly string[];
}

/** Creates the fallback of `unionOf` for access settings that may change. */
export function anonymousFor(access: () => AnonymousAccess): Authenticator {
  return {
    authenticate({ path }) {
      const { enabled, paths } = access();
      if (!enabled) return REFUSED;
      return paths.length === 0 || paths.includes(path) ? ANONYMOUS : ELSEWHERE;
    },
  };
}

const REFUSED = failed("no credentials");
const ELSEWHERE = failed("no credentials, and anonymous requests are not allowed for this path");

/**
 * Returns whether requests without credentials reach authorization. They do not together with AlwaysAllow, which would
 * allow them everything.
 * @param flag `--anonymous-auth`
 * @returns with a warning for the log when the flag is overruled
 */
export function anonymousAllowed(
  flag: boolean,
  modes: readonly string[],
): { readonly allowed: boolean; readonly warning?: string } {
  if (!flag || !modes.includes("AlwaysAllow")) return { allowed: flag };
  return {
    allowed: false,
    warning: "anonymous requests are rejected because --authorization-mode includes AlwaysAllow",
  };
}
