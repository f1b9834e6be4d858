// The Huffman code of header strings. The code is canonical: the lengths of the codes determine the codes. Source: RFC
// 7541, section 5.2 and appendix B.
import { ProtocolError, REASON } from "./frames";

/** Length in bits of the code of each byte, and last of the end of string, as digits in base 36. */
const LENGTHS =
  "dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6f56565666577666567655677777fbeds" +
  "kmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmnqqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrqu";

interface CodesOfLength {
  /** The first code of this length, and the index of its symbol among all symbols in order. */
  readonly first: number;
  readonly place: number;
  readonly count: number;
}

const lengths = [...LENGTHS].map((digit) => Number.parseInt(digit, 36));
const symbols = [...lengths.keys()].sort((a, b) => (lengths[a] as number) - (lengths[b] as number) || a - b);
const byLength = codesByLength();

function codesByLength(): readonly CodesOfLength[] {
  const found: CodesOfLength[] = [];
  let [first, place] = [0, 0];
  for (let length = 0; length <= Math.max(...lengths); length += 1) {
    const count = lengths.filter((each) => each === length).length;
    found.push({ first, place, count });
    place += count;
    first = (first + count) * 2;
  }
  return found;
}

const END = 256;
const PADDING_MAX_BITS = 7;

/** @throws ProtocolError for bytes that are not valid in this code */
export function huffmanText(bytes: Buffer): string {
  const decoded: number[] = [];
  let [code, length] = [0, 0];
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = code * 2 + ((byte >> bit) & 1);
      length += 1;
      const symbol = symbolOf(code, length);
      if (symbol === undefined) continue;
      if (symbol === END)
        throw new ProtocolError("the end-of-string symbol occurs within a string", REASON.compression);
      decoded.push(symbol);
      [code, length] = [0, 0];
    }
  }
  // The last byte is padded with the beginning of the end-of-string code, which is all ones.
  if (length > PADDING_MAX_BITS || code !== 2 ** length - 1)
    throw new ProtocolError("a truncated string", REASON.compression);
  return Buffer.from(decoded).toString("latin1");
}

function symbolOf(code: number, length: number): number | undefined {
  const codes = byLength[length];
  if (codes === undefined) throw new ProtocolError("an unknown Huffman code", REASON.compression);
  const index = code - codes.first;
  return index >= 0 && index < codes.count ? symbols[codes.place + index] : undefined;
}
