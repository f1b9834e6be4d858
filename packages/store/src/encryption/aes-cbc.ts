// AES-CBC with PKCS#7 padding, after 16 random bytes of initialization vector. Without authentication: a value that was
// changed or moved to another key is not detected. Source: Kubernetes documentation, "Encrypting Confidential Data at
// Rest"; staging/src/k8s.io/apiserver/pkg/storage/value/encrypt/aes/aes.go.
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { aesName, type NamedKey } from "./aes-keys";
import { EncryptionError, type EncryptionProvider } from "./provider";

const IV_BYTES = 16;

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
