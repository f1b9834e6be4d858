// Requests without credentials. Source: access-control, "Anonymous access"; facts, flags.json `anonymous-auth`.
import { type AuthenticationOutcome, type Authenticator, failed } from "./authenticator";
import { ANONYMOUS_USER, UNAUTHENTICATED_GROUP } from "./well-known-identities";

const ANONYMOUS: AuthenticationOutcome = {
  kind: "authenticated",
  user: { name: ANONYMOUS_USER, groups: [UNAUTHENTICATED_GROUP] },
};

/** The fallback of `unionOf`. */
export const anonymous: Authenticator = { authenticate: () => ANONYMOUS };

/** Which requests may be anonymous: all, or those for certain paths. */
export interface AnonymousAccess {
  readonly enabled: boolean;
  /** Exactly these; none: any. */
  readonly paths: readonly string[];
}

/** The fallback of `unionOf` where the access may change. */
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
const ELSEWHERE = failed("no credentials, and anonymous requests may not have this path");

/**
 * Whether requests without credentials are let in to be authorized. Not beside AlwaysAllow, where nothing would hold them back.
 * @param flag `--anonymous-auth`
 * @returns with a warning for the log where the flag is overruled
 */
export function anonymousAllowed(
  flag: boolean,
  modes: readonly string[],
): { readonly allowed: boolean; readonly warning?: string } {
  if (!flag || !modes.includes("AlwaysAllow")) return { allowed: flag };
  return { allowed: false, warning: "anonymous requests are refused because the authorization modes hold AlwaysAllow" };
}
