// How long certificates are valid, from the metrics of a server.
import type { Sample } from "./metrics-text";

const DAY_MS = 86_400_000;
/** Certificates with less time left are shown as a problem of tomorrow. */
const SOON_DAYS = 30;
const CLIENT_SOON_SECONDS = 7 * 86_400;

/** Returns the whole days until the end; negative after it. @param end seconds since 1970 @param now milliseconds since 1970 */
export const daysLeft = (end: number, now: number): number => Math.floor((end * 1000 - now) / DAY_MS);

export function certificateState(days: number): "ok" | "expires soon" | "expired" {
  if (days < 0) return "expired";
  return days < SOON_DAYS ? "expires soon" : "ok";
}

export interface ClientCertificates {
  readonly uses: number;
  /** Uses of certificates that had less than 7 days left. */
  readonly soon: number;
}

/** @param buckets of the remaining seconds of client certificates at their use @returns undefined without buckets */
export function soonExpired(buckets: readonly Sample[]): ClientCertificates | undefined {
  if (buckets.length === 0) return undefined;
  const below = (bound: (le: number) => boolean) =>
    buckets
      .filter(({ labels }) => bound(labels["le"] === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels["le"])))
      .reduce((sum, { value }) => sum + value, 0);
  return { uses: below((le) => le === Number.POSITIVE_INFINITY), soon: below((le) => le === CLIENT_SOON_SECONDS) };
}
