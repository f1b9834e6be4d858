// From when to when a certificate is good. Source: facts, controllers.md "csrsigning".
import { compareReleases } from "@orch/schema";

export interface LifeOptions {
  /** Of the server. */
  readonly release: string;
  /** Where nothing else is asked for, and at most. */
  readonly durationMs: number;
  /** When the signer's own certificate ends. */
  readonly authorityEndMs: number;
  readonly nowMs: number;
  /** What the request asks for. */
  readonly expirationSeconds?: number | undefined;
}

export interface Life {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

/** Requests say how long from it on; until then, no certificate lasts longer than from its beginning. */
const CHOSEN_SINCE = "1.22";
const SHORTEST_MS = 10 * 60_000;
/** Clocks differ: a certificate is good from a little before it was made. */
const BACKDATE_MS = 5 * 60_000;
/** Of what lasts no longer, what it begins too early is not taken away. */
const SHORT_MS = 8 * 60 * 60_000;

/** @throws Error where the signer has ended */
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
