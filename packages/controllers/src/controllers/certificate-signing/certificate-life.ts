// Validity period of an issued certificate. Source: pkg/controller/certificates/authority/policies.go.
import { compareReleases } from "@orch/schema";

export interface LifeOptions {
  /** Release of the server. */
  readonly release: string;
  /** Default validity, and the maximum. */
  readonly durationMs: number;
  /** End of validity of the signer's own certificate. */
  readonly authorityEndMs: number;
  readonly nowMs: number;
  /** Validity that the request asks for. */
  readonly expirationSeconds?: number | undefined;
}

export interface Life {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/**
 * First release in which requests have `expirationSeconds`. Before it, the duration always counts from the backdated
 * start.
 */
const CHOSEN_SINCE = "1.22";
const SHORTEST_MS = 10 * 60_000;
/** Backdating of the start of validity, for clients whose clocks are behind. */
const BACKDATE_MS = 5 * 60_000;
/** Certificates that are valid for less than this get their full duration from now, in addition to the backdating. */
const SHORT_MS = 8 * 60 * 60_000;

/** @throws Error when the signer's certificate has expired */
export function lifeOf({ release, durationMs, authorityEndMs, nowMs, expirationSeconds }: LifeOptions): Life {
  if (nowMs >= authorityEndMs) {
    throw new Error(`the signer has expired: NotAfter=${new Date(authorityEndMs).toISOString()}`);
  }
  const isChosen = compareReleases(release, CHOSEN_SINCE) >= 0;
  const wantedMs =
    isChosen && expirationSeconds != null ? Math.max(SHORTEST_MS, expirationSeconds * 1_000) : durationMs;
  const lastsMs = Math.min(wantedMs, durationMs);
  const notBeforeMs = nowMs - BACKDATE_MS;
  const endMs = (isChosen && lastsMs < SHORT_MS ? nowMs : notBeforeMs) + lastsMs;
  return { notBeforeMs, notAfterMs: Math.min(endMs, authorityEndMs) };
}
