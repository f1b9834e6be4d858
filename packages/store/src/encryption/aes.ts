// AES with a key of the configuration. Both modes choose the cipher by the length of the key. Source:
// staging/src/k8s.io/apiserver/pkg/storage/value/encrypt/aes/aes.go.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { EncryptionError, type EncryptionProvider } from "./provider";

/** A key of a provider, as named in the encryption configuration file. */
export interface NamedKey {
  readonly name: string;
  /** 16, 24 or 32 bytes. */
  readonly secret: Buffer;
}

const aesName = <Mode extends "cbc" | "gcm">(secret: Buffer, mode: Mode) =>
  `aes-${(secret.length * 8) as 128 | 192 | 256}-${mode}` as const;

const IV_BYTES = 16;

/**
 * AES-CBC with PKCS#7 padding, after 16 random bytes of initialization vector. Without authentication: a value that was
 * changed or moved to another key is not detected. Source: Kubernetes documentation, "Encrypting Confidential Data at
 * Rest".
 */
export function aesCbcProvider({ name, secret }: NamedKey): EncryptionProvider {
  return {
    prefix: `aescbc:v1:${name}:`,
    encrypt: (plain) => sealCbc(secret, plain),
    decrypt: (payload) => ({ plain: openCbc(secret, payload), isStale: false }),
    close() {},
  };
}

export function sealCbc(secret: Buffer, plain: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(aesName(secret, "cbc"), secret, iv);
  return Buffer.concat([iv, cipher.update(plain), cipher.final()]);
}

/** @throws EncryptionError */
export function openCbc(secret: Buffer, payload: Buffer): Buffer {
  if (payload.length < 2 * IV_BYTES) throw new EncryptionError("the value is too short");
  const cipher = createDecipheriv(aesName(secret, "cbc"), secret, payload.subarray(0, IV_BYTES));
  try {
    const front = cipher.update(payload.subarray(IV_BYTES));
    const end = cipher.final();
    // Not allocated from the shared pool, because readers keep the values.
    const plain = Buffer.allocUnsafeSlow(front.length + end.length);
    front.copy(plain);
    end.copy(plain, front.length);
    return plain;
  } catch (error) {
    throw new EncryptionError("the value cannot be decrypted with this key", { cause: error });
  }
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-GCM after a random nonce. The key in the store is authenticated data: a value that was changed or moved to
 * another key is rejected.
 */
export function aesGcmProvider({ name, secret }: NamedKey): EncryptionProvider {
  return {
    prefix: `aesgcm:v1:${name}:`,
    encrypt: (plain, key) => sealGcm(secret, plain, key),
    decrypt: (payload, key) => ({ plain: openGcm(secret, payload, key), isStale: false }),
    close() {},
  };
}

/** @param key the full key in the store */
export function sealGcm(secret: Buffer, plain: Buffer, key: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(aesName(secret, "gcm"), secret, nonce).setAAD(Buffer.from(key));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws EncryptionError */
export function openGcm(secret: Buffer, payload: Buffer, key: string): Buffer {
  if (payload.length < NONCE_BYTES + TAG_BYTES) throw new EncryptionError("the value is too short");
  const plain = openedGcm(secret, payload, key);
  if (plain === undefined)
    throw new EncryptionError("the value cannot be decrypted with this key, or was encrypted for another storage key");
  return plain;
}

/**
 * @returns undefined for bytes that were not encrypted in this way. Avoids the cost of an error for callers that try
 * several keys.
 */
export function openedGcm(secret: Buffer, payload: Buffer, key: string): Buffer | undefined {
  const tagAt = payload.length - TAG_BYTES;
  if (tagAt < NONCE_BYTES) return undefined;
  const cipher = createDecipheriv(aesName(secret, "gcm"), secret, payload.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(key))
    .setAuthTag(payload.subarray(tagAt));
  const plain = cipher.update(payload.subarray(NONCE_BYTES, tagAt));
  try {
    cipher.final();
  } catch {
    return undefined;
  }
  return plain;
}
