// Fields of a certificate, for tests. The parser is independent of the code under test.
import { X509Certificate } from "node:crypto";

export interface CertificateFields {
  readonly serialBits: number;
  readonly signature: string;
  readonly issuer: string;
  readonly notBefore: string;
  readonly notAfter: string;
  /** RDNs with their attributes: `[["2.5.4.10=a", "2.5.4.10=b"], ["2.5.4.3=c"]]`. */
  readonly subject: readonly (readonly string[])[];
  /**
   * Object identifier, with the prefix `!` when critical, and content in hexadecimal. In the order of the certificate.
   */
  readonly extensions: readonly (readonly [oid: string, value: string])[];
  /** DER. */
  readonly publicKey: Buffer;
}

interface Value {
  readonly tag: number;
  readonly content: Buffer;
  readonly bytes: Buffer;
}

function parts(bytes: Buffer): Value[] {
  const found: Value[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] as number;
    const first = bytes[at + 1] as number;
    const more = first < 0x80 ? 0 : first - 0x80;
    const length = more === 0 ? first : bytes.readUIntBE(at + 2, more);
    const start = at + 2 + more;
    found.push({ tag, content: bytes.subarray(start, start + length), bytes: bytes.subarray(at, start + length) });
    at = start + length;
  }
  return found;
}

function dotted(content: Buffer): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      arcs.push(arc);
      arc = 0;
    }
  }
  const [first = 0, ...rest] = arcs;
  return [Math.min(Math.floor(first / 40), 2), first - Math.min(Math.floor(first / 40), 2) * 40, ...rest].join(".");
}

/** Reads a certificate. @param pem PEM of one certificate */
export function certificateFields(pem: string): CertificateFields {
  const { raw } = new X509Certificate(pem);
  const [body] = parts(parts(raw)[0]?.content as Buffer) as [Value];
  const fields = parts(body.content);
  const [, serial, algorithm, issuer, validity, subject, key, extensions] = fields as Value[] & { length: 8 };
  if (fields.length !== 8) throw new Error(`${fields.length} fields`);
  const name = (value: Value | undefined) =>
    parts(value?.content as Buffer).map((set) =>
      parts(set.content).map((pair) => {
        const [type, text] = parts(pair.content) as [Value, Value];
        return `${dotted(type.content)}=${text.content.toString()}`;
      }),
    );
  const [notBefore, notAfter] = parts(validity?.content as Buffer).map(timeOf) as [string, string];
  const list = parts((parts(extensions?.content as Buffer)[0] as Value).content);
  return {
    serialBits: (serial?.content.length ?? 0) * 8,
    signature: dotted((parts(algorithm?.content as Buffer)[0] as Value).content),
    issuer: name(issuer).flat().join(","),
    notBefore,
    notAfter,
    subject: name(subject),
    extensions: list.map(({ content }) => {
      const [type, ...others] = parts(content) as [Value, ...Value[]];
      const mark = others.length > 1 ? "!" : "";
      return [`${mark}${dotted(type.content)}`, (others.at(-1) as Value).content.toString("hex")] as const;
    }),
    publicKey: key?.bytes as Buffer,
  };
}

function timeOf({ tag, content }: Value): string {
  const digits = tag === 0x17 ? `20${content.toString()}` : content.toString();
  const [, ...of] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(digits) ?? [];
  return `${of.slice(0, 3).join("-")}T${of.slice(3).join(":")}Z`;
}
