// How a key management service fails those who ask it.

import { EncryptionError } from "../provider";

/**
 * - unavailable: it does not answer, says that it is not well, or has not been well for so long that nothing is written by it: worth another try
 * - refused: it has answered, by an error or with what cannot be
 * - unreadable: what is stored is nothing that it could ever have made
 */
export type KmsErrorCode = "unavailable" | "refused" | "unreadable";

export class KmsError extends EncryptionError {
  constructor(
    readonly code: KmsErrorCode,
    /** Of the provider, as the configuration calls it. */
    readonly provider: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(`key management service ${JSON.stringify(provider)}: ${message}`, options);
  }
}

const SHOWN_MAX = 256;

/** What somebody outside has said, fit for a log and for an answer. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text);
