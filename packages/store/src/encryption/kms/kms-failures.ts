// Errors of a key management service.

import { EncryptionError } from "../provider";

/**
 * The service does not answer, is not healthy, or has been unhealthy for so long that its key is no longer used for
 * writes. The request may be tried again.
 */
export function kmsUnavailable(provider: string, why: string, cause?: unknown): EncryptionError {
  return new EncryptionError(`${named(provider)}: ${why}`, { isTransient: true, cause });
}

/** The service has answered with an error or an invalid result. */
export function refused(provider: string, why: string, cause?: unknown): EncryptionError {
  return new EncryptionError(`${named(provider)}: ${why}`, { cause });
}

const named = (provider: string): string => `key management service ${JSON.stringify(provider)}`;
const SHOWN_MAX = 256;

/** Quotes foreign text for logs and error messages, with a limited length. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);
