// What turns values into ones that nobody without its key can read, and back: one provider is one key, or one key management service.

/** A value that was read. */
export interface Decrypted {
  readonly plain: Buffer;
  /** Whether `encrypt` would use another key for it by now, such as after the key management service changed its own. */
  readonly isStale: boolean;
}

export interface EncryptionProvider {
  /**
   * Follows `<product>:enc:` in what is stored, and says whose it is: `aesgcm:v1:key1:`. Of two providers with the same prefix each is tried.
   * Absent: values lie in the store as they are.
   */
  readonly prefix: string | undefined;
  /**
   * @param plain not changed, and not kept after the promise is settled
   * @param key the full key in the store
   * @returns the payload, without the prefix; at once where nothing has to be asked. The caller owns it.
   * @throws EncryptionError
   */
  encrypt(plain: Buffer, key: string): Buffer | Promise<Buffer>;
  /**
   * @param payload what follows the prefix; not changed
   * @throws EncryptionError of what this provider cannot read, which says nothing of what is in it
   */
  decrypt(payload: Buffer, key: string): Decrypted | Promise<Decrypted>;
  /**
   * Whether it can encrypt and decrypt at the moment; only of those that have to ask somebody. Keeps its answer for as long as that holds.
   * @throws EncryptionError that tells what is wrong
   */
  check?(): Promise<void>;
  /** Ends connections and timers. Calls under way fail. */
  close(): void;
}

/** A value cannot be encrypted or decrypted. Its message names neither keys nor what is encrypted. */
export class EncryptionError extends Error {
  override readonly name = "EncryptionError";
  /** Nobody was asked who could know, such as while a key management service is away: later it may go. */
  readonly isPassing: boolean;

  constructor(message: string, options: ErrorOptions & { readonly isPassing?: boolean } = {}) {
    super(message, options);
    this.isPassing = options.isPassing ?? false;
  }
}

/** One `kms` entry of the configuration file, checked. */
export interface KmsTerms {
  readonly apiVersion: "v1" | "v2";
  /** Ends the prefix: `kms:v1:<name>:`. */
  readonly name: string;
  /** `unix:///path`, or `unix:///@name` of an abstract socket. */
  readonly endpoint: string;
  readonly timeoutMs: number;
  /** v1: decrypted data keys that are kept; 0 for none. */
  readonly cacheSize: number;
}
