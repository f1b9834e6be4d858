// AES with a key of the configuration. Both modes take the length of the key for the kind of the cipher.

/** One key of a provider, as the configuration file names it. */
export interface NamedKey {
  readonly name: string;
  /** 16, 24 or 32 bytes. */
  readonly secret: Buffer;
}

export const aesName = <Mode extends "cbc" | "gcm">(secret: Buffer, mode: Mode) =>
  `aes-${(secret.length * 8) as 128 | 192 | 256}-${mode}` as const;
