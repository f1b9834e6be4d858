// Names and uids that the server draws. Source: facts, validation/_common.md "name generation".

/** Random bytes, unpredictable to clients. */
export type Randomness = (bytes: number) => Uint8Array;

/** No vowels and nothing that reads like them, so that no words come out. */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_CHARACTERS = 5;
const NAME_MAX_CHARACTERS = 63;

/** The largest multiple of the alphabet's size that a byte can tell apart; bytes beyond would favour the first characters. */
const FAIR_BYTES = 256 - (256 % ALPHABET.length);

/** @param base a `generateName`; cut to 58 characters so that the name fits in 63 */
export function generateName(base: string, randomness: Randomness): string {
  return base.slice(0, NAME_MAX_CHARACTERS - SUFFIX_CHARACTERS) + suffix(randomness);
}

/** A random (version 4) UUID. */
export function generateUid(randomness: Randomness): string {
  const hex = Buffer.from(randomness(16)).toString("hex");
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
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
