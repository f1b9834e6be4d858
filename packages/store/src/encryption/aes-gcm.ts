// AES-GCM after a random nonce. The key in the store is authenticated data: a value that was changed or moved to
// another key is rejected. Source: staging/src/k8s.io/apiserver/pkg/storage/value/encrypt/aes/aes.go.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { aesName, type NamedKey } from "./aes-keys";
import { EncryptionError, type EncryptionProvider } from "./provider";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

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
