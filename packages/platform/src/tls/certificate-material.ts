// Certificates made by programs themselves: a certificate authority and the certificates it issues. New keys are P-256,
// which Node.js generates in under a millisecond; an existing authority signs with its own algorithm. Source: RFC 5280,
// sections 4.1 and 4.2.
import {
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { isIPv4 } from "node:net";
import { DER_TAG, derValues } from "../der/der";
import {
  DER_TRUE,
  derBitString,
  derExtension,
  derObjectIdentifier,
  derPositiveInteger,
  derSequence,
  derSet,
  derTime,
  derUtf8,
  derValue,
  pem,
} from "../der/der-writing";
import { type IssuerNames, issuerNames, signatureScheme } from "./issuer";

export interface KeyAndCertificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM; PKCS#8 for a generated key. */
  readonly key: string;
}

export interface Subject {
  readonly commonName: string;
  /** Groups of a client certificate. */
  readonly organizations?: readonly string[];
}

export type Usage =
  | { readonly kind: "authority" }
  /** @param names host names and IP addresses */
  | { readonly kind: "server"; readonly names: readonly string[] }
  | { readonly kind: "client" }
  /** A client certificate for node agents (kubelets) only: API servers reject it. */
  | { readonly kind: "agentClient" }
  /** Client and server, as for a member of an etcd cluster. @param names empty for a certificate that serves no host */
  | { readonly kind: "peer"; readonly names: readonly string[] };

const VERSION_3 = derValue(DER_TAG.context0, derPositiveInteger(Buffer.from([2])));
const SERIAL_BYTES = 16;
const DAY_MS = 86_400_000;
/** Start of the validity before the creation, because clocks differ. */
const BACKDATE_MS = 3_600_000;
const LIFE_DAYS = { authority: 3650, server: 365, client: 365, agentClient: 365, peer: 365 } as const;

export interface CertificateOptions {
  readonly subject: Subject;
  readonly usage: Usage;
  /** Absent: self-signed. */
  readonly issuer?: KeyAndCertificate | undefined;
  /** Time of creation, in milliseconds since 1970. */
  readonly nowMs: number;
  /** PEM of an existing key. Absent: a key is generated. */
  readonly kept?: string | undefined;
  /** Adds `MADE_MARK` to the certificate. */
  readonly isMarked?: boolean;
}

/** Comment that distinguishes certificates that a program made and renews by itself from those of the operator. */
export const MADE_MARK = "created and renewed by the server that stores it";

interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Key objects of generated certificates: parsing a key takes longer than generating one. */
const keyPairs = new WeakMap<KeyAndCertificate, KeyPair>();

/** Issues a certificate. @throws Error for an issuer with an unsupported key type */
export function makeCertificate(options: CertificateOptions): KeyAndCertificate {
  const { subject, usage, issuer, nowMs, kept, isMarked = false } = options;
  const keys = kept === undefined ? newKeyPair() : keyPairOf(kept);
  const { publicKey } = keys;
  const key = kept ?? (keys.privateKey.export({ type: "pkcs8", format: "pem" }) as string);
  const authority = issuer === undefined ? keys : (keyPairs.get(issuer) ?? keyPairOf(issuer.key));
  const name = nameOf(subject);
  const { algorithm, digest } = signatureScheme(authority.privateKey);
  const by = issuer === undefined ? { name, keyId: keyIdOf(publicKey) } : namesOf(issuer);
  const body = derSequence(
    VERSION_3,
    derPositiveInteger(serialNumber()),
    algorithm,
    by.name,
    derSequence(derTime(nowMs - BACKDATE_MS), derTime(nowMs + LIFE_DAYS[usage.kind] * DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    derValue(
      DER_TAG.context3,
      derSequence(
        ...extensionsOf(usage),
        derExtension(EXTENSION.subjectKeyId, derValue(DER_TAG.octetString, keyIdOf(publicKey))),
        ...(by.keyId === undefined
          ? []
          : [derExtension(EXTENSION.authorityKeyId, derSequence(derValue(0x80, by.keyId)))]),
        ...(isMarked ? [derExtension(EXTENSION.comment, derValue(IA5_STRING, Buffer.from(MADE_MARK)))] : []),
      ),
    ),
  );
  const signature = sign(digest, body, authority.privateKey);
  const made = { certificate: pem("CERTIFICATE", derSequence(body, algorithm, derBitString(signature))), key };
  keyPairs.set(made, keys);
  return made;
}

/** Returns a positive serial number of fixed length: its first bits are 01. */
function serialNumber(): Buffer {
  const bytes = randomBytes(SERIAL_BYTES);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x3f) | 0x40, 0);
  return bytes;
}

/**
 * Generates a key with ECDH: generateKeyPairSync leaves an asynchronous resource until the next garbage collection,
 * which test runners report as an open handle.
 */
function newKeyPair(): KeyPair {
  const pair = createECDH("prime256v1");
  const point = pair.generateKeys(); // 0x04, then x and y
  const text = (bytes: Buffer) => bytes.toString("base64url");
  const secret = Buffer.alloc(COORDINATE_BYTES);
  const d = pair.getPrivateKey(); // without leading zeros
  d.copy(secret, COORDINATE_BYTES - d.length);
  const x = text(point.subarray(1, 1 + COORDINATE_BYTES));
  const y = text(point.subarray(1 + COORDINATE_BYTES));
  const privateKey = createPrivateKey({ key: { kty: "EC", crv: "P-256", x, y, d: text(secret) }, format: "jwk" });
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

const COORDINATE_BYTES = 32;

function keyPairOf(key: string): KeyPair {
  const privateKey = createPrivateKey(key);
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

const NAME = { organization: "2.5.4.10", commonName: "2.5.4.3" } as const;

/** Encodes a subject. Each organization is a separate attribute, as client certificates name groups. */
function nameOf({ commonName, organizations = [] }: Subject): Buffer {
  const attribute = (type: string, value: string) => derSet(derSequence(derObjectIdentifier(type), derUtf8(value)));
  return derSequence(
    ...organizations.map((value) => attribute(NAME.organization, value)),
    attribute(NAME.commonName, commonName),
  );
}

const namesOf = ({ certificate }: KeyAndCertificate): IssuerNames => issuerNames(new X509Certificate(certificate).raw);

const EXTENSION = {
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  /** `netscape-comment`, which tools show as text. */
  comment: "2.16.840.1.113730.1.13",
} as const;
const IA5_STRING = 0x16;
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";
/**
 * Extended key usage of clients of node agents. Agents accept the certificate for its clientAuth and ignore unknown
 * usages (RFC 5280, section 4.2.1.12). The identifier was made from a UUID under an arc assigned for that: UUIDs under
 * 2.25 have arcs of 128 bits, which many programs cannot read.
 */
export const AGENT_CLIENT_USAGE = "1.2.840.113556.1.8000.2554.47713.20985.53409.17230.44107.9613205.11838427";
/** Key usages: digitalSignature, keyCertSign and cRLSign, and digitalSignature alone. */
const AUTHORITY_USES = derBitString(Buffer.from([0b1000_0110]), 1);
const LEAF_USES = derBitString(Buffer.from([0b1000_0000]), 7);

function extensionsOf(usage: Usage): readonly Buffer[] {
  switch (usage.kind) {
    case "authority":
      return [
        derExtension(EXTENSION.basicConstraints, derSequence(DER_TRUE), true),
        derExtension(EXTENSION.keyUsage, AUTHORITY_USES, true),
      ];
    case "server":
      return [...leafExtensions(SERVER_AUTH), ...alternativeNames(usage.names)];
    case "client":
      return leafExtensions(CLIENT_AUTH);
    case "agentClient":
      return leafExtensions(CLIENT_AUTH, AGENT_CLIENT_USAGE);
    case "peer":
      return [...leafExtensions(SERVER_AUTH, CLIENT_AUTH), ...alternativeNames(usage.names)];
  }
}

const leafExtensions = (...purposes: readonly string[]): readonly Buffer[] => [
  derExtension(EXTENSION.basicConstraints, derSequence(), true),
  derExtension(EXTENSION.keyUsage, LEAF_USES, true),
  derExtension(EXTENSION.extendedKeyUsage, derSequence(...purposes.map(derObjectIdentifier))),
];

function alternativeNames(names: readonly string[]): readonly Buffer[] {
  if (names.length === 0) return [];
  const values = names.map((name) =>
    isAddress(name) ? derValue(0x87, addressBytes(name)) : derValue(0x82, Buffer.from(name)),
  );
  return [derExtension(EXTENSION.subjectAltName, derSequence(...values))];
}

/**
 * Reports whether a name in a certificate is an IP address. Host names contain no colon; an exact check would add 8 ms
 * to the start, for compiling its pattern.
 */
export const isAddress = (name: string): boolean => name.includes(":") || isIPv4(name);

/** Returns the 4 or 16 bytes of an address. */
function addressBytes(address: string): Buffer {
  if (!address.includes(":")) return Buffer.from(address.split(".").map(Number));
  // Normalizes the address by a URL, which contains only hexadecimal groups, also for a decimal IPv4 part. Zones do not
  // occur in certificates.
  const [front = "", back] = new URL(`http://[${address.split("%")[0]}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [first, last] = [groups(front), groups(back ?? "")];
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

/** Returns the SHA-1 hash of the key's bits, as proposed by RFC 5280: an identifier, not a protection. */
function keyIdOf(key: KeyObject): Buffer {
  const [whole] = derValues(key.export({ type: "spki", format: "der" }));
  const [, bits] = derValues(whole?.content ?? Buffer.alloc(0));
  // The first byte is the number of unused bits.
  return createHash("sha1")
    .update(bits?.content.subarray(1) ?? Buffer.alloc(0))
    .digest();
}
