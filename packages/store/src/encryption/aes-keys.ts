// AES with a key of the configuration. Both modes choose the cipher by the length of the key.

/** A key of a provider, as named in the encryption configuration file. */
export interface NamedKey {
  readonly name: string;
  /** 16, 24 or 32 bytes. */
  readonly secret: Buffer;
}

export const aesName = <Mode extends "cbc" | "gcm">(secret: Buffer, mode: Mode) =>
  `aes-${(secret.length * 8) as 128 | 192 | 256}-${mode}` as const;
