// Tokens signed by OpenID Connect issuers: selected by the issuer and verified with its known keys, without a request
// per token.
// Source: Kubernetes documentation, "Authenticating", "OpenID Connect Tokens".
import type { Clock } from "@orch/platform";
import type { JsonObject } from "@orch/schema";
import {
  type AuthenticationOutcome,
  failed,
  NOT_APPLICABLE,
  NOT_REMEMBERED,
  type TokenAuthenticator,
  type TokenCacheLifetime,
} from "../authentication/authenticator";
import { type CompactToken, issuerOf, readCompactToken } from "../tokens/signed/compact-token";
import type { DistributedClaims } from "./distributed-claims";
import type { IssuerKeys } from "./issuer-keys";
import type { JwtConfiguration } from "./jwt-configuration";
import { type Validity, validityOf } from "./registered-claims";
import { ClaimsError, userOfClaims } from "./user-of-claims";

/** One trusted issuer. */
export interface JwtIssuer {
  readonly configuration: JwtConfiguration;
  readonly keys: IssuerKeys;
  /** Absent: groups do not come from a claim. */
  readonly distributed?: DistributedClaims;
}

export interface JwtAuthenticatorDeps {
  readonly clock: Clock;
  /** Attribute of users that holds the id of the token; absent: users have none. */
  readonly credentialKey?: string | undefined;
  /** Called for each token of a known issuer. */
  decided?(issuer: string, result: "success" | "failure", tookMs: number): void;
}

/** Lifetime of a finding that depends on distributed claims. */
const DISTRIBUTED_MS = 60_000;

export class JwtAuthenticator implements TokenAuthenticator {
  private readonly byUrl: ReadonlyMap<string, JwtIssuer>;

  constructor(
    issuers: readonly JwtIssuer[],
    private readonly deps: JwtAuthenticatorDeps,
    /** Returns whether this set of issuers is still in force. */
    private readonly isInForce: () => boolean = () => true,
  ) {
    this.byUrl = new Map(issuers.map((issuer) => [issuer.configuration.issuer.url, issuer]));
  }

  authenticateToken(token: string): AuthenticationOutcome | Promise<AuthenticationOutcome> {
    const read = readCompactToken(token);
    const url = read && issuerOf(read);
    const issuer = url === undefined ? undefined : this.byUrl.get(url);
    if (read === undefined || url === undefined || issuer === undefined) return NOT_APPLICABLE;
    const startedMs = this.deps.clock.elapsed();
    const outcome = this.verify(read, issuer);
    const told = (settled: AuthenticationOutcome): AuthenticationOutcome => {
      const result = settled.kind === "authenticated" ? "success" : "failure";
      this.deps.decided?.(url, result, this.deps.clock.elapsed() - startedMs);
      return settled;
    };
    return outcome instanceof Promise ? outcome.then(told) : told(outcome);
  }

  private verify(token: CompactToken, issuer: JwtIssuer): AuthenticationOutcome | Promise<AuthenticationOutcome> {
    const { algorithms, issuer: of } = issuer.configuration;
    const validity = validityOf(token.claims, { audiences: of.audiences, nowMs: this.deps.clock.now() });
    if (typeof validity === "string") return failed(`oidc: ${validity}`);
    if (!algorithms.some((each) => each === token.algorithm)) {
      return failed("oidc: the token is signed with an algorithm that is not accepted");
    }
    return this.verifySignature(token, issuer, validity, true);
  }

  private verifySignature(
    token: CompactToken,
    issuer: JwtIssuer,
    validity: Validity,
    mayWait: boolean,
  ): AuthenticationOutcome | Promise<AuthenticationOutcome> {
    const { keys } = issuer;
    const algorithm = issuer.configuration.algorithms.find((each) => each === token.algorithm);
    const answer = algorithm && keys.current?.verify(token, algorithm);
    switch (answer) {
      case "verified":
        return this.userOf(token.claims, issuer, validity);
      case "wrongSignature":
        return failed("oidc: the token's signature is invalid", { holds: this.whileThese(issuer) });
      case "unknownKey":
      case undefined: {
        const fresher = mayWait ? keys.fresher() : undefined;
        if (fresher !== undefined) return fresher.then(() => this.verifySignature(token, issuer, validity, false));
        return answer === undefined
          ? failed("oidc: the issuer's keys have not been fetched yet", NOT_REMEMBERED)
          : failed("oidc: the token is signed with an unknown key", { holds: this.whileThese(issuer) });
      }
    }
  }

  private userOf(
    claims: JsonObject,
    issuer: JwtIssuer,
    validity: Validity,
  ): AuthenticationOutcome | Promise<AuthenticationOutcome> {
    try {
      const source = issuer.distributed?.sourceOf(claims);
      if (source === undefined || issuer.distributed === undefined) {
        return this.accepted(claims, issuer, { untilMs: validity.expires * 1000 });
      }
      return issuer.distributed.expand(claims, source).then(
        (expanded) => {
          try {
            return this.accepted(expanded, issuer, { untilMs: validity.expires * 1000, forMs: DISTRIBUTED_MS });
          } catch (error) {
            return this.refused(error, issuer);
          }
        },
        (error: Error) => failed(`oidc: ${error.message}`),
      );
    } catch (error) {
      return this.refused(error, issuer);
    }
  }

  /** @throws ClaimsError */
  private accepted(
    claims: JsonObject,
    issuer: JwtIssuer,
    valid: Omit<TokenCacheLifetime, "holds">,
  ): AuthenticationOutcome {
    const user = userOfClaims(issuer.configuration, claims, this.deps.credentialKey);
    return { kind: "authenticated", user, standing: { ...valid, holds: this.whileThese(issuer) } };
  }

  private refused(error: unknown, issuer: JwtIssuer): AuthenticationOutcome {
    if (!(error instanceof ClaimsError)) throw error;
    return failed(`oidc: ${error.message}`, { holds: this.whileThese(issuer) });
  }

  /** Returns a check that the issuer's keys and the configuration are unchanged. */
  private whileThese({ keys }: JwtIssuer): () => boolean {
    const { current } = keys;
    return () => keys.current === current && this.isInForce();
  }
}
