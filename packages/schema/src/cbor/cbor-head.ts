// Heads of CBOR data items: major type and argument. Source: RFC 8949, section 3 and appendix B.

/** Major types. */
export const MAJOR = {
  unsigned: 0,
  negative: 1,
  bytes: 2,
  text: 3,
  array: 4,
  map: 5,
  tag: 6,
  other: 7,
} as const;

export type Major = (typeof MAJOR)[keyof typeof MAJOR];

/** Values of major type 7 that JSON has too. */
export const SIMPLE = { false: 20, true: 21, null: 22, float: 25, unknown: 0 } as const;

export interface Head {
  readonly major: Major;
  readonly argument: bigint;
  /** Whether a break ends the item instead of a length. */
  readonly isIndefinite: boolean;
  /** Number of bytes. */
  readonly length: number;
  readonly simple: (typeof SIMPLE)[keyof typeof SIMPLE];
  /** Value of a floating-point number. */
  readonly float: number;
}

/** Additional information: lengths of the argument, and indefinite length. */
const ONE_BYTE = 24;
const EIGHT_BYTES = 27;
const INDEFINITE = 31;

/** @returns undefined for a head that is malformed or incomplete */
export function readHead(cbor: Buffer, at: number): Head | undefined {
  const first = cbor[at];
  if (first === undefined) return undefined;
  const major = (first >> 5) as Major;
  const info = first & 0x1f;
  if (info < ONE_BYTE) return headOf(major, info, BigInt(info), 1, 0);
  if (info <= EIGHT_BYTES) {
    const bytes = 1 << (info - ONE_BYTE);
    if (at + 1 + bytes > cbor.length) return undefined;
    return headOf(major, info, argumentAt(cbor, at + 1, bytes), 1 + bytes, floatAt(cbor, at + 1, bytes));
  }
  const mayBeIndefinite = major >= MAJOR.bytes && major <= MAJOR.map;
  if (info !== INDEFINITE || !mayBeIndefinite) return undefined;
  return { major, argument: 0n, isIndefinite: true, length: 1, simple: SIMPLE.unknown, float: 0 };
}

const headOf = (major: Major, info: number, argument: bigint, length: number, float: number): Head => ({
  major,
  argument,
  isIndefinite: false,
  length,
  simple: major === MAJOR.other ? simpleOf(info) : SIMPLE.unknown,
  float,
});

function simpleOf(info: number): Head["simple"] {
  switch (info) {
    case SIMPLE.false:
    case SIMPLE.true:
    case SIMPLE.null:
      return info;
    default:
      return info > ONE_BYTE ? SIMPLE.float : SIMPLE.unknown;
  }
}

function argumentAt(cbor: Buffer, at: number, bytes: number): bigint {
  return bytes === 8 ? cbor.readBigUInt64BE(at) : BigInt(cbor.readUIntBE(at, bytes));
}

/** Reads a float of two, four or eight bytes. */
function floatAt(cbor: Buffer, at: number, bytes: number): number {
  switch (bytes) {
    case 2:
      return halfOf(cbor.readUInt16BE(at));
    case 4:
      return cbor.readFloatBE(at);
    case 8:
      return cbor.readDoubleBE(at);
    default:
      return 0;
  }
}

/** Decodes a half-precision float. Source: RFC 8949, appendix D. */
function halfOf(bits: number): number {
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Returns the bits of a half-precision float; undefined when it cannot hold the value. */
export function halfBits(value: number): number | undefined {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === 0) return sign;
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const scaled = size / 2 ** (exponent - 10);
  if (!Number.isInteger(scaled) || scaled >= 2048 || exponent > 15) return undefined;
  const bits = scaled < 1024 ? scaled : ((exponent + 15) << 10) | (scaled - 1024);
  return sign | bits;
}
