// Encoder for the DER values of certificates. Nested values are passed as encoded bytes. Source: ITU-T X.690.
// node-forge writes a certificate in 9 µs instead of 36, but loading its `asn1` takes 3.6 ms of CPU, which 130
// certificates of one process would save: docs/dependencies.md.
import { DER_TAG } from "./der";

/** Encodes a value. @param content parts of the content, in order */
export function derValue(tag: number, ...content: readonly Buffer[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...content]);
}

/** Encodes a length in its shortest form. */
function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const derSequence = (...parts: readonly Buffer[]): Buffer => derValue(DER_TAG.sequence, ...parts);

/** Encodes a set, with its elements sorted by their bytes as DER requires. */
export const derSet = (...elements: readonly Buffer[]): Buffer => derValue(0x31, ...elements.toSorted(Buffer.compare));

/** Encodes an object identifier. @param dotted such as `2.5.4.3` */
export function derObjectIdentifier(dotted: string): Buffer {
  const [top = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return derValue(0x06, Buffer.from([top * 40 + second, ...rest].flatMap(sevenBits)));
}

/** Encodes an arc in groups of seven bits, with the high bit set in all but the last. */
function sevenBits(arc: number): number[] {
  const groups = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) groups.unshift(0x80 | (rest % 128));
  return groups;
}

/** Encodes a positive integer. @param bytes most significant first */
export function derPositiveInteger(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  return derValue(0x02, ...((digits[0] ?? 0) >= 0x80 ? [Buffer.from([0]), digits] : [digits]));
}

/** Encodes a bit string. @param unused number of unused bits at the end */
export const derBitString = (bytes: Buffer, unused = 0): Buffer => derValue(0x03, Buffer.from([unused]), bytes);

export const DER_TRUE = derValue(DER_TAG.boolean, Buffer.from([0xff]));

/** Encodes an extension of a certificate. Source: RFC 5280, section 4.1. @param value DER */
export const derExtension = (oid: string, value: Buffer, critical = false): Buffer =>
  derSequence(derObjectIdentifier(oid), ...(critical ? [DER_TRUE] : []), derValue(DER_TAG.octetString, value));

const LAST_YEAR_OF_TWO_DIGITS = 2049;

/** Encodes a time in seconds: as UTCTime through 2049, as GeneralizedTime later. Source: RFC 5280, section 4.1.2.5. */
export function derTime(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().slice(0, 19).replace(/\D/g, "")}Z`;
  const year = Number(digits.slice(0, 4));
  return year <= LAST_YEAR_OF_TWO_DIGITS
    ? derValue(0x17, Buffer.from(digits.slice(2)))
    : derValue(0x18, Buffer.from(digits));
}

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;

/** Encodes a string as PrintableString when possible, otherwise as UTF8String. */
export const derString = (text: string): Buffer => derValue(PRINTABLE.test(text) ? 0x13 : 0x0c, Buffer.from(text));

export const derUtf8 = (text: string): Buffer => derValue(0x0c, Buffer.from(text));

/** Returns PEM. @param label such as `CERTIFICATE` */
export function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
