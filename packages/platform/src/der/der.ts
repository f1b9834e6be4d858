// As much of ASN.1 DER as certificates need: walking through nested values, and what is said in them. Source: X.690; X.680, 41.

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
  /** `[0]`, where a certificate keeps its version, and a list of revoked ones its extensions. */
  context0: 0xa0,
  /** `[3]`, where a certificate keeps its extensions. */
  context3: 0xa3,
} as const;

/** Tag numbers of 31 and more follow in bytes of their own; nothing in certificates has one. */
const LONG_TAG = 0x1f;

/** Far more than stand side by side in any certificate: each takes a hundred times the two bytes of the shortest. */
const VALUES_MAX = 10_000;

/** How many values may still be read of one thing, however they are nested in one another. */
export interface DerBudget {
  left: number;
}

/**
 * @param budget of all that is read with it. Default: of these values alone
 * @throws RangeError for what is cut short, for more values than a certificate has, and for all that DER has a plainer form for: others
 * might read it otherwise
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

/** One after the other, however many there are. @throws RangeError as `derValues`, when it comes to what is wrong */
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
  if (lengthBytes === 0 || lengthBytes > 4) throw new RangeError("DER length is none, or too long");
  if (at + lengthBytes > bytes.length) throw new RangeError("DER value is cut short");
  const length = bytes.readUIntBE(at, lengthBytes);
  if (length < 0x80 || length < 256 ** (lengthBytes - 1))
    throw new RangeError("DER length is not in its shortest form");
  return length;
}

/** Longer than any that somebody has registered. */
const OBJECT_IDENTIFIER_MAX_BYTES = 100;

/** Dotted form of an object identifier's content. @throws RangeError for one that nobody has */
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

/** How each kind of string writes its characters, by tag. */
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

/** @throws RangeError for what is no string, or none of its kind */
export function derText(value: DerValue | undefined): string {
  const read = STRINGS[value?.tag ?? -1];
  if (value === undefined || read === undefined) throw new RangeError("no string where one is due");
  try {
    return read(value.content);
  } catch (error) {
    throw new RangeError("string is not of its kind", { cause: error });
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
