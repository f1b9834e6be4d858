// The code in which header texts may be packed. It is canonical: codes of one length follow each other in the order of their bytes, and
// shorter ones stand before longer ones, so that the lengths alone say all. Source: RFC 7541, appendix B.

/** Bits of the code of each byte; the last is that of the end mark, which no text holds. */
// biome-ignore format: sixteen to a line
const LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
  28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
  5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
  6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
  24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
  26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
];

const END_MARK = LENGTHS.length - 1;
/** A text is filled up to whole bytes with the beginning of the end mark: fewer than eight ones. */
const PADDING_MAX_BITS = 7;

/** The codes of one length: `first` and the ones after it belong to `symbols`. */
interface Codes {
  readonly first: number;
  readonly symbols: readonly number[];
}

/** By length. */
const CODES: readonly Codes[] = codesByLength();

function codesByLength(): Codes[] {
  const result: Codes[] = [];
  let next = 0;
  for (let length = 0; length <= Math.max(...LENGTHS); length++) {
    const symbols = LENGTHS.flatMap((each, symbol) => (each === length ? [symbol] : []));
    result.push({ first: next, symbols });
    next = (next + symbols.length) * 2;
  }
  return result;
}

/** @throws RangeError for what is no packed text */
export function unpackText(packed: Buffer): string {
  const bytes: number[] = [];
  let code = 0;
  let length = 0;
  for (const byte of packed) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      length++;
      const codes = CODES[length];
      if (codes === undefined) throw new RangeError("a packed text holds a code of no byte");
      const symbol = codes.symbols[code - codes.first];
      if (symbol === undefined) continue;
      if (symbol === END_MARK) throw new RangeError("a packed text holds the end mark");
      bytes.push(symbol);
      code = 0;
      length = 0;
    }
  }
  if (length > PADDING_MAX_BITS || code !== 2 ** length - 1) throw new RangeError("a packed text is badly filled up");
  return Buffer.from(bytes).toString("latin1");
}
