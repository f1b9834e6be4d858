// DER as certificates are written in it: values around values, whose bytes go in as they are. Source: X.690.

/** @param content one after the other */
export function derValue(tag: number, ...content: readonly Buffer[]): Buffer {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...content]);
}

/** Of bytes, in the shortest form. */
function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

/** The elements of a set in the order that DER has them: by their bytes. */
export const derSet = (...elements: readonly Buffer[]): Buffer => derValue(0x31, ...elements.toSorted(Buffer.compare));

/** @param dotted such as `2.5.4.3` */
export function derObjectIdentifier(dotted: string): Buffer {
  const [top = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return derValue(0x06, Buffer.from([top * 40 + second, ...rest].flatMap(sevenBits)));
}

/** In groups of seven bits, all but the last marked. */
function sevenBits(arc: number): number[] {
  const groups = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) groups.unshift(0x80 | (rest % 128));
  return groups;
}

/** @param bytes most significant first */
export function derPositiveInteger(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  return derValue(0x02, ...((digits[0] ?? 0) >= 0x80 ? [Buffer.from([0]), digits] : [digits]));
}

/** @param unused bits at the end that do not count */
export const derBitString = (bytes: Buffer, unused = 0): Buffer => derValue(0x03, Buffer.from([unused]), bytes);

const LAST_YEAR_OF_TWO_DIGITS = 2049;

/** To the second: with two digits for the year as long as they will do. Source: RFC 5280, 4.1.2.5. */
export function derTime(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().slice(0, 19).replace(/\D/g, "")}Z`;
  const year = Number(digits.slice(0, 4));
  return year <= LAST_YEAR_OF_TWO_DIGITS
    ? derValue(0x17, Buffer.from(digits.slice(2)))
    : derValue(0x18, Buffer.from(digits));
}

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;

/** In the plainest of the kinds that have all its characters. */
export const derString = (text: string): Buffer => derValue(PRINTABLE.test(text) ? 0x13 : 0x0c, Buffer.from(text));

export const derUtf8 = (text: string): Buffer => derValue(0x0c, Buffer.from(text));

/** @param label such as `CERTIFICATE` */
export function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
