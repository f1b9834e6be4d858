// Signed CRLs for tests, invalid ones included.
import { sign, X509Certificate } from "node:crypto";
import { derValues } from "@orch/platform";

export interface SignedListOptions {
  /** PEM. */
  readonly issuer: { readonly certificate: string; readonly key: string };
  readonly revoked: readonly (string | { readonly serial: string; readonly extensions: readonly Buffer[] })[];
  /** `YYMMDDHHMMSSZ`; absent: the list has none. */
  readonly nextUpdate?: string;
  readonly extensions?: readonly Buffer[];
  /** Signature algorithm. */
  readonly algorithm?: string;
}

/** Returns the CRL as DER. Serial numbers are hexadecimal. */
export function signedList({
  issuer,
  revoked,
  nextUpdate,
  extensions = [],
  algorithm = ECDSA_WITH_SHA256,
}: SignedListOptions): Buffer {
  const how = value(SEQUENCE, oid(algorithm));
  const entries = revoked.map((entry) => {
    const { serial, extensions: own } = typeof entry === "string" ? { serial: entry, extensions: [] } : entry;
    const rest = own.length === 0 ? [] : [value(SEQUENCE, ...own)];
    return value(SEQUENCE, integer(serial), value(UTC_TIME, Buffer.from("260101000000Z")), ...rest);
  });
  const signed = value(
    SEQUENCE,
    integer("01"),
    how,
    subjectOf(issuer.certificate),
    value(UTC_TIME, Buffer.from("260101000000Z")),
    ...(nextUpdate === undefined ? [] : [value(UTC_TIME, Buffer.from(nextUpdate))]),
    ...(entries.length === 0 ? [] : [value(SEQUENCE, ...entries)]),
    ...(extensions.length === 0 ? [] : [value(0xa0, value(SEQUENCE, ...extensions))]),
  );
  const signature = sign("sha256", signed, issuer.key);
  return value(SEQUENCE, signed, how, value(BIT_STRING, Buffer.from([0]), signature));
}

export function asPem(der: Buffer): string {
  return `-----BEGIN X509 CRL-----\n${der.toString("base64").replace(/(.{64})/g, "$1\n")}\n-----END X509 CRL-----\n`;
}

/** @param content its value as DER */
export function extension(dotted: string, critical: boolean, content: Buffer): Buffer {
  const flag = critical ? [value(BOOLEAN, Buffer.from([0xff]))] : [];
  return value(SEQUENCE, oid(dotted), ...flag, value(OCTET_STRING, content));
}

const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const [BOOLEAN, INTEGER, BIT_STRING, OCTET_STRING, OID, UTC_TIME, SEQUENCE] = [1, 2, 3, 4, 6, 0x17, 0x30] as const;

/** Encodes one value with its tag and length. */
export function value(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length]), bytes, content]);
}

const integer = (hex: string): Buffer => value(INTEGER, Buffer.from(hex, "hex"));

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc, at) => {
    if (at === 0) return [arc];
    const sevens = [arc & 0x7f];
    for (let more = Math.floor(arc / 128); more > 0; more = Math.floor(more / 128))
      sevens.unshift(0x80 | (more & 0x7f));
    return sevens;
  });
  return value(OID, Buffer.from(bytes));
}

/** Returns the subject as the certificate encodes it. */
function subjectOf(pem: string): Buffer {
  const { raw } = new X509Certificate(pem);
  const [signed] = derValues(derValues(raw)[0]?.content ?? raw);
  return derValues(signed?.content ?? raw)[5]?.bytes ?? Buffer.alloc(0);
}
