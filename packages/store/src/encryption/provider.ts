// Encryption providers, which make values unreadable without a key. One provider is one key, or one key management
// service.

/** A decrypted value. */
export interface Decrypted {
  readonly plain: Buffer;
  /**
   * Whether `encrypt` would now use another key for the value, such as after a key rotation of the key management
   * service.
   */
  readonly isStale: boolean;
}

export interface EncryptionProvider {
  /**
   * Follows `<product>:enc:` in stored values and names the provider: `aesgcm:v1:key1:`. Providers with the same prefix
   * are tried in order. Absent: values are stored unencrypted.
   */
  readonly prefix: string | undefined;
  /**
   * @param plain not changed, and not kept after the promise is settled
   * @param key the full key in the store
   * @returns the payload without the prefix; synchronously when no service must be asked. The caller owns it.
   * @throws EncryptionError
   */
  encrypt(plain: Buffer, key: string): Buffer | Promise<Buffer>;
  /**
   * @param payload the bytes after the prefix; not changed
   * @throws EncryptionError for a payload that this provider cannot decrypt; the message does not contain its content
   */
  decrypt(payload: Buffer, key: string): Decrypted | Promise<Decrypted>;
  /**
   * Checks whether the provider can encrypt and decrypt now; only for providers that ask a service. The result is
   * cached while it is valid.
   * @throws EncryptionError with the reason
   */
  check?(): Promise<void>;
  /** Closes connections and timers. Calls in progress fail. */
  close(): void;
}

/** Error of an encryption or decryption. Its message contains neither keys nor content. */
export class EncryptionError extends Error {
  override readonly name = "EncryptionError";
  /** Whether a later attempt may succeed, such as when the key management service was unavailable. */
  readonly isTransient: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isTransient?: boolean } = {}) {
    super(message, options);
    this.isTransient = options.isTransient ?? false;
  }
}

/** A validated `kms` entry of the encryption configuration file. */
export interface KmsTerms {
  readonly apiVersion: "v1" | "v2";
  /** Last part of the prefix: `kms:v1:<name>:`. */
  readonly name: string;
  /** `unix:///path`, or `unix:///@name` for an abstract socket. */
  readonly endpoint: string;
  readonly timeoutMs: number;
  /** v1: maximum number of cached data keys; 0 for none. */
  readonly cacheSize: number;
}

/**
 * Values without encryption. A value that begins with the encryption marker is not treated as one of these; see
 * value-providers.ts.
 */
export const IDENTITY: EncryptionProvider = {
  prefix: undefined,
  encrypt: (plain) => plain,
  decrypt: (payload) => ({ plain: payload, isStale: false }),
  close() {},
};
