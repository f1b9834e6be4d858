// Encryption with a seed: each value has a data key of its own, derived from the seed and from random bytes that
// precede the value. Source: KEP-3299.

import { createHmac, randomBytes } from "node:crypto";
import { openGcm, sealGcm } from "../aes";

export const SEED_BYTES = 32;
const INFO_BYTES = 32;

export function sealBySeed(seed: Buffer, plain: Buffer, place: string): Buffer {
  const info = randomBytes(INFO_BYTES);
  return Buffer.concat([info, sealGcm(dataKey(seed, info), plain, place)]);
}

/** @throws EncryptionError */
export function openBySeed(seed: Buffer, sealed: Buffer, place: string): Buffer {
  return openGcm(dataKey(seed, sealed.subarray(0, INFO_BYTES)), sealed.subarray(INFO_BYTES), place);
}

/**
 * HKDF-Expand (RFC 5869, section 2.3): its first block, which has the length of the key. Node.js offers only extract
 * and expand together.
 */
const dataKey = (seed: Buffer, info: Buffer): Buffer => createHmac("sha256", seed).update(info).update(FIRST).digest();
const FIRST = Buffer.from([1]);
