// Who is asking: one method of authentication, and the union of all that are switched on.
// Source: access-control, "Authentication"; facts, flags.json "authenticatorOrder".

import type { X509Certificate } from "node:crypto";
import type { UserInfo } from "@orch/machinery";
import type { EndSignal } from "@orch/platform";
import { AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP } from "./well-known-identities";

/** All that a method may look at: the request without its HTTP framework. */
export interface AuthenticationRequest {
  /** By lower-case name. One that may be there several times is read from `rawHeaders`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders: readonly string[];
  /** As it was sent, without its query; "" where the question is a credential alone. */
  readonly path: string;
  /** For whom the credential has to be good; empty: for this server. */
  readonly audiences: readonly string[];
  /** The same object for every request of one connection: what was found about it may be remembered by object. */
  readonly connection: PeerConnection;
  /** Nobody waits for the outcome any more. */
  readonly signal: EndSignal;
  /** Whether whoever sent it is on the server's own machine, as far as can be told: never where a proxy says that it passed it on. */
  isFromThisMachine(): boolean;
}

/** By what a request came. */
export interface PeerConnection {
  /** Of its other end; "" where nobody knows. */
  readonly address: string;
  /**
   * The certificate of its other end, with those above it that came along, by `issuerCertificate`. The same object every time: what was
   * found about it is remembered by object.
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
  /** For whom its credential is good, of those asked for; absent: it says nothing of any. */
  readonly audiences?: readonly string[];
  readonly standing?: Standing;
  /** Told of each request that comes with it. */
  used?(): UseNotes | undefined;
}

/** What is told of the use of a credential. */
export interface UseNotes {
  /** What the request's audit event says of it, by annotation. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** For whoever uses it. */
  readonly warning?: string | undefined;
}

/** The request carries a credential that is not accepted. */
export interface Refused {
  readonly kind: "failed";
  /** For the log: clients are told nothing but "Unauthorized". No part of a credential stands in it. */
  readonly reason: string;
  /** In the words of a service that was asked, for whoever has the token reviewed; absent: `reason`. */
  readonly told?: string;
  /** Nothing is known of the credential, for too many are being looked at: whoever brings it is to come again. */
  readonly isOverload?: true;
  readonly standing?: Standing;
  /** What the request's audit event says of it. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** How long what was found of a token may be remembered. Where a method says nothing, for a short while. */
export interface Standing {
  /** Until when the credential itself is valid, ms since 1970; 0: not at all. Absent: as long as there is room. */
  readonly untilMs?: number;
  /** How long the finding is kept at most, ms, whatever is done to the machine's date. */
  readonly forMs?: number;
  /** Whether nothing has changed that it rests on. Asked for each request that brings the token, so it answers at once. */
  holds?(): boolean;
}

/** Of what says nothing about the token itself: a service that could not be reached. */
export const NOT_REMEMBERED: Standing = { untilMs: 0 };

export interface Authenticator {
  /** Answers at once where it can, so that most requests wait for nothing. Never rejects. */
  authenticate(request: AuthenticationRequest): AuthenticationOutcome | Promise<AuthenticationOutcome>;
}

export const NOT_APPLICABLE: AuthenticationOutcome = { kind: "notApplicable" };

export function failed(reason: string, standing?: Standing): Refused {
  return { kind: "failed", reason, ...(standing && { standing }) };
}

/**
 * The first method that succeeds decides, and its user is counted among the authenticated. A method that fails does not stop those
 * after it; if none succeeds, their reasons are joined. `fallback` speaks only when no method had anything to say: that is
 * why a wrong token is refused even where anonymous requests are welcome.
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

/** As one refusal, which says nothing of how long it stands. */
export function bothRefused(one: Refused | undefined, other: Refused): Refused {
  const { reason, annotations: more } = other;
  const annotations = one?.annotations || more ? { ...one?.annotations, ...more } : undefined;
  const reasons = one === undefined ? reason : `${one.reason}; ${reason}`;
  const words = one === undefined ? reviewText(other) : `${reviewText(one)}; ${reviewText(other)}`;
  const told = words === reasons ? {} : { told: words };
  const overload = one?.isOverload || other.isOverload ? { isOverload: true as const } : {};
  return { kind: "failed", reason: reasons, ...told, ...overload, ...(annotations && { annotations }) };
}

/** What a review of the token says of its refusal. */
export const reviewText = ({ told, reason }: Refused): string => told ?? reason;

/**
 * The user as a member of the group of the authenticated. A method that remembers its users calls this before it remembers, so
 * that the same object is handed out for every request.
 */
export function asAuthenticated(user: UserInfo): UserInfo {
  if (user.groups.includes(AUTHENTICATED_GROUP) || user.groups.includes(UNAUTHENTICATED_GROUP)) return user;
  return { ...user, groups: [...user.groups, AUTHENTICATED_GROUP] };
}
