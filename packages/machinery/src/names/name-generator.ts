// Generates names and UIDs. Source: staging/src/k8s.io/apiserver/pkg/storage/names/generate.go.

/** Source of random bytes, unpredictable to clients. */
export type Randomness = (bytes: number) => Uint8Array;

/** Characters of generated suffixes: no vowels and no characters that resemble them, to avoid forming words. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_CHARACTERS = 5;
const NAME_MAX_CHARACTERS = 63;

/**
 * Largest multiple of the alphabet's size that fits in a byte. Larger bytes are discarded, as they would favour the
 * first characters.
 */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

/**
 * Generates a name.
 * @param base a `generateName`; cut to 58 characters so that the name has at most 63
 */
export function generateName(base: string, randomness: Randomness): string {
  return base.slice(0, NAME_MAX_CHARACTERS - SUFFIX_CHARACTERS) + suffix(randomness);
}

/** Generates a random UUID (version 4). */
export function generateUid(randomness: Randomness): string {
  const bytes = Uint8Array.from(randomness(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const part = (from: number, to: number): string => hex(bytes, from, to);
  return `${part(0, 4)}-${part(4, 6)}-${part(6, 8)}-${part(8, 10)}-${part(10, 16)}`;
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hex(bytes: Uint8Array, from: number, to: number): string {
  let text = "";
  for (let at = from; at < to; at += 1) text += HEX[bytes[at] as number];
  return text;
}

function suffix(randomness: Randomness): string {
  let text = "";
  while (text.length < SUFFIX_CHARACTERS) {
    for (const byte of randomness(SUFFIX_CHARACTERS - text.length)) {
      if (byte < FAIR_BYTES) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}
