// Decoder for the parts of ASN.1 DER used in certificates: nested values, object identifiers and strings. Source: ITU-T
// X.690; X.680, section 41.
//
// The reader keeps the original bytes, accepts the shortest encoding only, and has a limit of values. The ASN.1 reader of
// node-forge has none of these: it reads 3 MiB of empty values in 0.5 to 1.1 s and 200 to 320 MiB, which are rejected
// here within 4 ms: docs/dependencies.md.

export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly bytes: Buffer;
}

export const DER_TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  /** `[0]`, the version of a certificate, and the extensions of a revocation list. */
  context0: 0xa0,
  /** `[3]`, the extensions of a certificate. */
  context3: 0xa3,
} as const;

/** Marks a tag number of 31 or more, which follows in further bytes. Certificates have none. */
const LONG_TAG = 0x1f;

/**
 * Far more than any certificate has side by side. Each decoded value takes a hundred times the two bytes of the
 * shortest one.
 */
const VALUES_MAX = 10_000;

/** Number of values that may still be decoded from one input, at all nesting levels together. */
export interface DerBudget {
  left: number;
}

/**
 * Decodes adjacent values.
 * @param budget shared with the other decoding of the input. Default: a budget for these values alone
 * @throws RangeError for truncated input, for too many values, and for encodings that are not the shortest: other
 * parsers might read them differently
 */
export function derValues(bytes: Buffer, budget: DerBudget = derBudget()): DerValue[] {
  const values: DerValue[] = [];
  for (const value of eachDerValue(bytes)) {
    if (budget.left === 0) throw new RangeError("too many DER values");
    budget.left -= 1;
    values.push(value);
  }
  return values;
}

export const derBudget = (values: number = VALUES_MAX): DerBudget => ({ left: values });

/**
 * Yields adjacent values without a limit of their number.
 * @throws RangeError like `derValues`, when it reaches the error
 */
export function* eachDerValue(bytes: Buffer): Generator<DerValue> {
  let at = 0;
  while (at < bytes.length) {
    if (at + 2 > bytes.length) throw new RangeError("DER value is cut short");
    const tag = bytes.readUInt8(at);
    if ((tag & LONG_TAG) === LONG_TAG) throw new RangeError("DER tag is too long");
    const first = bytes.readUInt8(at + 1);
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const start = at + 2 + lengthBytes;
    const length = first < 0x80 ? first : longLength(bytes, at + 2, lengthBytes);
    if (start + length > bytes.length) throw new RangeError("DER value is cut short");
    yield { tag, content: bytes.subarray(start, start + length), bytes: bytes.subarray(at, start + length) };
    at = start + length;
  }
}

function longLength(bytes: Buffer, at: number, lengthBytes: number): number {
  if (lengthBytes === 0 || lengthBytes > 4) throw new RangeError("DER length is missing or too long");
  if (at + lengthBytes > bytes.length) throw new RangeError("DER value is cut short");
  const length = bytes.readUIntBE(at, lengthBytes);
  if (length < 0x80 || length < 256 ** (lengthBytes - 1))
    throw new RangeError("DER length is not in its shortest form");
  return length;
}

/** Longer than any registered object identifier. */
const OBJECT_IDENTIFIER_MAX_BYTES = 100;

/** Returns the dotted form of an object identifier's content. @throws RangeError for one that is too long */
export function objectIdentifier(content: Buffer): string {
  if (content.length > OBJECT_IDENTIFIER_MAX_BYTES) throw new RangeError("object identifier is too long");
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0;
    }
  }
  const first = arcs[0] ?? 0;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...arcs.slice(1)].join(".");
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Decoders of the string types, by tag. */
const STRINGS: Readonly<Record<number, (content: Buffer) => string>> = {
  12: (content) => UTF8.decode(content),
  18: latin1,
  19: latin1,
  20: latin1,
  22: latin1,
  26: latin1,
  27: latin1,
  28: (content) => inCodeUnits(content, 4),
  30: (content) => inCodeUnits(content, 2),
};

/** Decodes a string. @throws RangeError for another type, or invalid content */
export function derText(value: DerValue | undefined): string {
  const read = STRINGS[value?.tag ?? -1];
  if (value === undefined || read === undefined) throw new RangeError("expected a string");
  try {
    return read(value.content);
  } catch (error) {
    throw new RangeError("string contains characters that its type does not allow", { cause: error });
  }
}

function latin1(content: Buffer): string {
  return content.toString("latin1");
}

function inCodeUnits(content: Buffer, size: 2 | 4): string {
  let text = "";
  for (let at = 0; at < content.length; at += size) text += String.fromCodePoint(content.readUIntBE(at, size));
  return text;
}
