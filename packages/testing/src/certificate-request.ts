// Certificate signing requests, valid and invalid ones that no tool creates. Independent of the code that reads them.
// Source: RFC 2986.
import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

export const KEY_KINDS = ["rsa", "p256", "p384", "p521", "ed25519"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

const made = new Map<KeyKind, KeyObject>();

/** Returns a private key, one of each kind per test file, because some take long to generate. */
export function testKey(kind: KeyKind): KeyObject {
  const known = made.get(kind);
  if (known !== undefined) return known;
  const key = newKey(kind);
  made.set(kind, key);
  return key;
}

function newKey(kind: KeyKind): KeyObject {
  switch (kind) {
    case "rsa":
      return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    case "p256":
      return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
    case "p384":
      return generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey;
    case "p521":
      return generateKeyPairSync("ec", { namedCurve: "P-521" }).privateKey;
    case "ed25519":
      return generateKeyPairSync("ed25519").privateKey;
  }
}

/** Object identifier and digest of each kind's signatures. */
const SIGNATURES: Readonly<Record<KeyKind, readonly [oid: string, digest: string | null]>> = {
  rsa: ["1.2.840.113549.1.1.11", "sha256"],
  p256: ["1.2.840.10045.4.3.2", "sha256"],
  p384: ["1.2.840.10045.4.3.3", "sha384"],
  p521: ["1.2.840.10045.4.3.4", "sha512"],
  ed25519: ["1.3.101.112", null],
};

const ATTRIBUTES = { CN: "2.5.4.3", SN: "2.5.4.5", C: "2.5.4.6", L: "2.5.4.7", O: "2.5.4.10", OU: "2.5.4.11" } as const;
const NAMES = { email: 0x81, dns: 0x82, uri: 0x86, ip: 0x87, directory: 0xa4 } as const;

export interface RequestParts {
  readonly key?: KeyKind;
  /** Attributes in order. An attribute may be given by its object identifier, and its string type by a tag. */
  readonly subject?: readonly (readonly [
    type: keyof typeof ATTRIBUTES | `${number}.${string}`,
    value: string | Buffer,
    tag?: number,
  ])[];
  /** Alternative names in order, as text; IP addresses as bytes. */
  readonly names?: readonly (readonly [kind: keyof typeof NAMES, value: string | Buffer])[];
  /** Extensions besides the alternative names. */
  readonly extensions?: readonly (readonly [oid: string, value: Buffer, critical?: boolean])[];
  /** SubjectPublicKeyInfo that replaces that of the key. */
  readonly spki?: Buffer;
  /** Makes the signature invalid. */
  readonly forged?: boolean;
}

export function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  const { length } = bytes;
  const digits = length.toString(16);
  const long = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
  const head = length < 0x80 ? [length] : [0x80 + long.length, ...long];
  return Buffer.concat([Buffer.from([tag, ...head]), bytes]);
}

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const bits = arc.toString(2);
    const groups = bits.padStart(Math.ceil(bits.length / 7) * 7, "0").match(/.{7}/g) ?? [];
    return groups.map((group, at) => Number.parseInt(group, 2) + (at < groups.length - 1 ? 0x80 : 0));
  });
  return der(0x06, Buffer.from(bytes));
}

/** Returns a request in DER. */
export function certificateRequest(parts: RequestParts = {}): Buffer {
  const { key: kind = "p256", subject = [], names = [], extensions = [], spki, forged = false } = parts;
  const key = testKey(kind);
  const attributes = subject.map(([type, value, tag = 0x0c]) => {
    const id = type in ATTRIBUTES ? ATTRIBUTES[type as keyof typeof ATTRIBUTES] : type;
    return der(0x31, der(0x30, oid(id), der(tag, Buffer.from(value as string))));
  });
  const list = names.map(([name, value]) => der(NAMES[name], Buffer.from(value as string)));
  const wanted = [...(list.length === 0 ? [] : [["2.5.29.17", der(0x30, ...list)] as const]), ...extensions].map(
    ([id, value, critical = false]) =>
      der(0x30, oid(id), ...(critical ? [der(0x01, Buffer.from([0xff]))] : []), der(0x04, value)),
  );
  const extensionRequest = der(0x30, oid("1.2.840.113549.1.9.14"), der(0x31, der(0x30, ...wanted)));
  const publicKey = spki ?? createPublicKey(key).export({ type: "spki", format: "der" });
  const info = der(
    0x30,
    der(0x02, Buffer.from([0])),
    der(0x30, ...attributes),
    publicKey,
    der(0xa0, ...(wanted.length === 0 ? [] : [extensionRequest])),
  );
  const [algorithm, digest] = SIGNATURES[kind];
  const parameters = kind === "rsa" ? [der(0x05)] : [];
  const signature = sign(digest, forged ? Buffer.concat([info, info]) : info, key);
  return der(0x30, info, der(0x30, oid(algorithm), ...parameters), der(0x03, Buffer.from([0]), signature));
}

/** Returns PEM, by default with the label of a request. */
export function pemOf(bytes: Buffer, label = "CERTIFICATE REQUEST"): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/** Returns the `request` field of a CertificateSigningRequest: base64 of PEM. */
export const requestField = (parts: RequestParts = {}): string =>
  Buffer.from(pemOf(certificateRequest(parts))).toString("base64");

export interface MadeAuthority {
  /** PEM. */
  readonly certificate: string;
  /** PEM. */
  readonly key: string;
}

const CA_EXTENSIONS = [
  der(0x30, oid("2.5.29.19"), der(0x01, Buffer.from([0xff])), der(0x04, der(0x30, der(0x01, Buffer.from([0xff]))))),
];

/**
 * Returns a self-signed certificate authority.
 * @param keyId its subject key identifier; absent: none.
 * @param endMs milliseconds since 1970
 */
export function testAuthority(
  kind: KeyKind,
  { name = `${kind} CA`, keyId, endMs = Date.UTC(2049, 0) }: { name?: string; keyId?: Buffer; endMs?: number } = {},
): MadeAuthority {
  const key = testKey(kind);
  const [algorithm, digest] = SIGNATURES[kind];
  const identifier = der(0x30, oid(algorithm), ...(kind === "rsa" ? [der(0x05)] : []));
  const subject = der(0x30, der(0x31, der(0x30, oid(ATTRIBUTES.CN), der(0x0c, Buffer.from(name)))));
  const time = (ms: number) => der(0x17, Buffer.from(`${new Date(ms).toISOString().slice(2, 19).replace(/\D/g, "")}Z`));
  const extensions = [
    ...CA_EXTENSIONS,
    ...(keyId === undefined ? [] : [der(0x30, oid("2.5.29.14"), der(0x04, der(0x04, keyId)))]),
  ];
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([7])),
    identifier,
    subject,
    der(0x30, time(Date.UTC(2000, 0)), time(endMs)),
    subject,
    createPublicKey(key).export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, ...extensions)),
  );
  const whole = der(0x30, body, identifier, der(0x03, Buffer.from([0]), sign(digest, body, key)));
  return {
    certificate: pemOf(whole, "CERTIFICATE"),
    key: key.export({ type: "pkcs8", format: "pem" }) as string,
  };
}
