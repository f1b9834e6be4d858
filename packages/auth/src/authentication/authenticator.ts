// Authentication: the interfaces of one method and of one token method, and the union of all enabled methods.
// Source: Kubernetes documentation, "Authenticating".

import type { X509Certificate } from "node:crypto";
import type { UserInfo } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import { AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP } from "../identity/well-known-identities";

/** The parts of a request that an authentication method may read, independent of the HTTP framework. */
export interface AuthenticationRequest {
  /** Headers by lower-case name. A header that may occur several times is read from `rawHeaders`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Header names and values alternating, as received. */
  readonly rawHeaders: readonly string[];
  /** The request path as received, without the query; "" when a credential alone is checked. */
  readonly path: string;
  /** Audiences that the credential must be valid for; empty: this server. */
  readonly audiences: readonly string[];
  /** The same object for every request of one connection, so that findings can be cached by object. */
  readonly connection: PeerConnection;
  /** Ends when no caller waits for the outcome any more. */
  readonly signal: EndSignal;
  /**
   * Returns whether the client runs on the server's own machine, as far as can be told. Returns false when a proxy
   * states that it forwarded the request.
   */
  isFromThisMachine(): boolean;
}

/** The connection that delivered a request. */
export interface PeerConnection {
  /** Address of the peer; "" when unknown. */
  readonly address: string;
  /**
   * Returns the certificate of the peer, with the sent intermediates reachable by `issuerCertificate`. It is the same
   * object on every call: findings are cached by object.
   */
  peerCertificate(): X509Certificate | undefined;
}

export type AuthenticationOutcome =
  | Authenticated
  /** The request carries no credential of this method. */
  | { readonly kind: "notApplicable" }
  | Refused;

export interface Authenticated {
  readonly kind: "authenticated";
  readonly user: UserInfo;
  /** Requested audiences that the credential is valid for; absent: the method does not support audiences. */
  readonly audiences?: readonly string[];
  readonly standing?: TokenCacheLifetime;
  /** Called for each request that uses the credential. */
  used?(): CredentialUse | undefined;
}

/** Notes on one use of a credential. */
export interface CredentialUse {
  /** Annotations for the audit event of the request. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** Warning for the client. */
  readonly warning?: string | undefined;
}

/** The request carries a credential that is not accepted. */
export interface Refused {
  readonly kind: "failed";
  /** Reason for the log; clients receive only "Unauthorized". It contains no part of a credential. */
  readonly reason: string;
  /** Reason in the words of the remote service, for the status of a token review; absent: `reason`. */
  readonly told?: string;
  /** Set when the credential was not checked because too many checks are running. The client is asked to retry. */
  readonly isOverload?: true;
  readonly standing?: TokenCacheLifetime;
  /** Annotations for the audit event of the request. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** How long the finding for a token may be cached. A method that does not say gets a short default. */
export interface TokenCacheLifetime {
  /** End of the credential's validity, ms since 1970; 0: do not cache. Absent: cache while there is room. */
  readonly untilMs?: number;
  /** Maximum age of the cached finding in ms, independent of changes of the machine's date. */
  readonly forMs?: number;
  /**
   * Returns whether everything that the finding depends on is unchanged. Called for each request with the token, so it
   * must return immediately.
   */
  holds?(): boolean;
}

/** Standing of an outcome that says nothing about the token, such as an unreachable service. */
export const NOT_REMEMBERED: TokenCacheLifetime = { untilMs: 0 };

export interface Authenticator {
  /** Returns the outcome, or a promise of it when the method must wait for something. Never rejects. */
  authenticate(request: AuthenticationRequest): AuthenticationOutcome | Promise<AuthenticationOutcome>;
}

/**
 * Input of a token method besides the token. The finding is cached for other requests with the token, so it may depend
 * on nothing else.
 */
export interface TokenQuestion extends Pick<AuthenticationRequest, "audiences" | "signal"> {
  /** Connection of the request, for limits per client. The finding does not depend on it. */
  readonly connection?: PeerConnection;
}

/** A token method, such as a token file, signed tokens, or a remote service. */
export interface TokenAuthenticator {
  /**
   * Authenticates a token.
   * @param question with the audiences of which one must be valid for the token; empty: this server
   * @returns notApplicable for a token that does not belong to this method
   */
  authenticateToken(token: string, question: TokenQuestion): AuthenticationOutcome | Promise<AuthenticationOutcome>;
}

export const NOT_APPLICABLE: AuthenticationOutcome = { kind: "notApplicable" };

export function failed(reason: string, standing?: TokenCacheLifetime): Refused {
  return { kind: "failed", reason, ...(standing && { standing }) };
}

/**
 * Combines methods. The first method that succeeds decides, and its user becomes a member of the group of authenticated
 * users. A method that fails does not stop the ones after it; if none succeeds, their reasons are joined. `fallback` is
 * used only when every method returned `notApplicable`: an invalid token is rejected even when anonymous requests are
 * allowed.
 * @param fallback the anonymous authenticator
 */
export function unionOf(methods: readonly Authenticator[], fallback?: Authenticator): Authenticator {
  return { authenticate: (request) => tryFrom(0, undefined, methods, fallback, request) };
}

function tryFrom(
  start: number,
  before: Refused | undefined,
  methods: readonly Authenticator[],
  fallback: Authenticator | undefined,
  request: AuthenticationRequest,
): AuthenticationOutcome | Promise<AuthenticationOutcome> {
  let refused = before;
  for (let index = start; index < methods.length; index++) {
    const outcome = (methods[index] as Authenticator).authenticate(request);
    if (outcome instanceof Promise) {
      return outcome.then(
        (late) => accepted(late) ?? tryFrom(index + 1, joined(refused, late), methods, fallback, request),
      );
    }
    const success = accepted(outcome);
    if (success !== undefined) return success;
    refused = joined(refused, outcome);
  }
  if (refused !== undefined) return refused;
  return fallback?.authenticate(request) ?? NOT_APPLICABLE;
}

function accepted(outcome: AuthenticationOutcome): AuthenticationOutcome | undefined {
  if (outcome.kind !== "authenticated") return undefined;
  const user = asAuthenticated(outcome.user);
  return user === outcome.user ? outcome : { ...outcome, user };
}

function joined(before: Refused | undefined, outcome: AuthenticationOutcome): Refused | undefined {
  return outcome.kind === "failed" ? bothRefused(before, outcome) : before;
}

/** Joins two refusals into one without a standing. */
export function bothRefused(one: Refused | undefined, other: Refused): Refused {
  const { reason, annotations: more } = other;
  const annotations = one?.annotations || more ? { ...one?.annotations, ...more } : undefined;
  const reasons = one === undefined ? reason : `${one.reason}; ${reason}`;
  const words = one === undefined ? reviewText(other) : `${reviewText(one)}; ${reviewText(other)}`;
  const told = words === reasons ? {} : { told: words };
  const overload = one?.isOverload || other.isOverload ? { isOverload: true as const } : {};
  return { kind: "failed", reason: reasons, ...told, ...overload, ...(annotations && { annotations }) };
}

/** Returns the reason that a token review reports. */
export const reviewText = ({ told, reason }: Refused): string => told ?? reason;

/**
 * Returns the user as a member of the group of authenticated users. A method that caches its users calls this before it
 * caches them, so that every request gets the same object.
 */
export function asAuthenticated(user: UserInfo): UserInfo {
  if (user.groups.includes(AUTHENTICATED_GROUP) || user.groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
}
