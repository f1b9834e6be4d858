// How a key management service fails those who ask it.

import { EncryptionError } from "../provider";

/** It does not answer, is not well, or has not been well for so long that nothing is written by it any more: worth another try. */
export function away(provider: string, why: string, cause?: unknown): EncryptionError {
  return new EncryptionError(`${named(provider)}: ${why}`, { isPassing: true, cause });
}

/** It has answered: by an error, or with what cannot be. */
export function refused(provider: string, why: string, cause?: unknown): EncryptionError {
  return new EncryptionError(`${named(provider)}: ${why}`, { cause });
}

const named = (provider: string): string => `key management service ${JSON.stringify(provider)}`;
const SHOWN_MAX = 256;

/** What somebody outside has said, fit for a log and for an answer. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);
