// The ciphers under which values lie by a data key.

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const BLOCK_BYTES = 16;

/** @returns nonce, what is encrypted, tag. @param place goes along with the value: it is nowhere else to be read */
export function sealGcm(key: Buffer, plain: Buffer, place: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(`aes-${bitsOf(key)}-gcm`, key, nonce);
  cipher.setAAD(Buffer.from(place));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** @throws Error for what was not sealed by this key in this place */
export function openGcm(key: Buffer, sealed: Buffer, place: string): Buffer {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) throw new Error("too short");
  const cipher = createDecipheriv(`aes-${bitsOf(key)}-gcm`, key, sealed.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(Buffer.from(place));
  cipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return Buffer.concat([cipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), cipher.final()]);
}

/** @returns the first block, and what is encrypted with its padding */
export function sealCbc(key: Buffer, plain: Buffer): Buffer {
  const first = randomBytes(BLOCK_BYTES);
  const cipher = createCipheriv(`aes-${bitsOf(key)}-cbc`, key, first);
  return Buffer.concat([first, cipher.update(plain), cipher.final()]);
}

/** @throws Error for what is padded otherwise: nothing else tells of a wrong key */
export function openCbc(key: Buffer, sealed: Buffer): Buffer {
  const cipher = createDecipheriv(`aes-${bitsOf(key)}-cbc`, key, sealed.subarray(0, BLOCK_BYTES));
  return Buffer.concat([cipher.update(sealed.subarray(BLOCK_BYTES)), cipher.final()]);
}

const bitsOf = (key: Buffer): 128 | 192 | 256 => (key.length * 8) as 128 | 192 | 256;
