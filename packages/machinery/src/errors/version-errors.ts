// Errors about resource versions: expired, or not reached yet. Source:
// staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go.
import { StatusError } from "./status-error";

const RESTART_LIST =
  "The provided continue parameter is too old to display a consistent list result. " +
  "You can start a new list without the continue parameter";

/** Texts of Expired (410) errors. */
export const EXPIRED_TEXT = {
  watch: () => "The resourceVersion for the provided watch is too old.",
  watchCache: (version: { readonly requested: number; readonly oldest: number }) =>
    `too old resource version: ${version.requested} (${version.oldest})`,
  list: () => "The resourceVersion for the provided list is too old.",
  continueToken: () => `${RESTART_LIST}.`,
  continueTokenRenewed: () =>
    `${RESTART_LIST}, or use the continue token in this response to retrieve the remainder of the results. ` +
    "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
    "deleted between the time the first chunk was returned and now may show up in the list.",
} as const;

export const expired = (text: string): StatusError => new StatusError("Expired", text);

/**
 * Expired: the revision of a continue token is compacted.
 * @param renewed a token that continues at the latest resource version
 */
export const continueExpired = (renewed: string): StatusError =>
  new StatusError("Expired", EXPIRED_TEXT.continueTokenRenewed(), undefined, { continueToken: renewed });

export const gone = (text: string): StatusError => new StatusError("Gone", text);

/**
 * Timeout: the requested resource version was not reached in time.
 * @param retryAfterSeconds 1 after waiting for the watch cache; 0 when the store itself was asked
 */
export const tooLargeResourceVersion = (
  version: { readonly requested: number; readonly current: number },
  retryAfterSeconds: number,
): StatusError =>
  new StatusError("Timeout", `Timeout: Too large resource version: ${version.requested}, current: ${version.current}`, {
    causes: [{ reason: TOO_LARGE, message: "Too large resource version" }],
    retryAfterSeconds,
  });

export const isTooLargeResourceVersion = (error: unknown): boolean =>
  error instanceof StatusError && error.details?.causes?.some(({ reason }) => reason === TOO_LARGE) === true;

const TOO_LARGE = "ResourceVersionTooLarge";
