// As much of ASN.1 DER as certificates need: walking through nested values. Source: X.690.

export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly bytes: Buffer;
}

export const DER_TAG = {
  boolean: 0x01,
  integer: 0x02,
  octetString: 0x04,
  /** `[3]`, where a certificate keeps its extensions. */
  context3: 0xa3,
} as const;

/** Far more than stand side by side in any certificate: each takes a hundred times the two bytes of the shortest. */
const VALUES_MAX = 10_000;

/** @throws RangeError for lengths that do not fit, and for more values than a certificate has */
export function derValues(bytes: Buffer): DerValue[] {
  const values: DerValue[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = bytes.readUInt8(at);
    const first = bytes.readUInt8(at + 1);
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
    const start = at + 2 + lengthBytes;
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
    if (start + length > bytes.length) throw new RangeError("DER value is cut short");
    if (values.length === VALUES_MAX) throw new RangeError("too many DER values");
    values.push({ tag, content: bytes.subarray(start, start + length), bytes: bytes.subarray(at, start + length) });
    at = start + length;
  }
  return values;
}

/** Dotted form of an object identifier's content. */
export function objectIdentifier(content: Buffer): string {
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
