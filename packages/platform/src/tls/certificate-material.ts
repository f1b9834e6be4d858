// Certificates that programs make for themselves: an authority, and what it signs. Keys are P-256, made by the run time in under a
// millisecond; the certificate's form is node-forge's, which knows nothing but RSA, so that the key and the signature are put
// into its place here. Loaded only when something must be made.
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
import { isIP } from "node:net";
import { asn1, jsbn, pki } from "node-forge";

export interface KeyAndCertificate {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS#8. */
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
  /** Both at once, as a member of an etcd cluster is. @param names empty for one that serves nobody */
  | { readonly kind: "peer"; readonly names: readonly string[] };

const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const DAY_MS = 86_400_000;
/** Clocks differ: a certificate is valid from a little before it was made. */
const BACKDATE_MS = 3_600_000;
const LIFE_DAYS = { authority: 3650, server: 365, client: 365, peer: 365 } as const;

export interface CertificateOptions {
  readonly subject: Subject;
  readonly usage: Usage;
  /** Absent: signed by its own key. */
  readonly issuer?: KeyAndCertificate | undefined;
  /** When it is made, in milliseconds since 1970. */
  readonly nowMs: number;
  /** PEM of a key that there is already. Absent: a new one is made. */
  readonly kept?: string | undefined;
}

export function makeCertificate({ subject, usage, issuer, nowMs, kept }: CertificateOptions): KeyAndCertificate {
  const { privateKey, publicKey } = kept === undefined ? newKeyPair() : keyPairOf(kept);
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const draft = pki.createCertificate();
  // A serial number is positive: its first bit is 0.
  draft.serialNumber = `4${randomBytes(15).toString("hex").slice(1)}`;
  draft.validity.notBefore = new Date(nowMs - BACKDATE_MS);
  draft.validity.notAfter = new Date(nowMs + LIFE_DAYS[usage.kind] * DAY_MS);
  draft.setSubject(attributesOf(subject));
  draft.setIssuer(issuer === undefined ? attributesOf(subject) : issuerAttributes(issuer));
  draft.signatureOid = ECDSA_WITH_SHA256;
  draft.siginfo.algorithmOid = ECDSA_WITH_SHA256;
  // A stand-in, so that the form has a place for the key.
  draft.publicKey = pki.setRsaPublicKey(new jsbn.BigInteger("3"), new jsbn.BigInteger("3"));

  const spki = publicKey.export({ type: "spki", format: "der" });
  const authorityKey = issuer === undefined ? publicKey : createPublicKey(issuer.key);
  draft.setExtensions([
    ...extensionsOf(usage),
    { id: SUBJECT_KEY_ID, value: derText(octets(keyIdOf(publicKey))) },
    { id: AUTHORITY_KEY_ID, value: derText(sequence([tagged(0, keyIdOf(authorityKey))])) },
  ]);
  const body = tbsCertificate(draft);
  const parts = body.value as asn1.Asn1[];
  parts[SIGNATURE_PART] = ecdsaWithSha256();
  parts[PUBLIC_KEY_PART] = asn1.fromDer(spki.toString("latin1"));
  const signature = sign("sha256", Buffer.from(derText(body), "latin1"), createPrivateKey(issuer?.key ?? key));
  const certificate = sequence([body, ecdsaWithSha256(), bits(signature)]);
  return { certificate: pem(Buffer.from(derText(certificate), "latin1")), key };
}

/**
 * By the key maker of key exchanges: generateKeyPairSync leaves behind, until memory is swept, a piece of asynchronous work that
 * test runners take for a handle somebody left open.
 */
function newKeyPair(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
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

function keyPairOf(key: string): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  return { privateKey: createPrivateKey(key), publicKey: createPublicKey(key) };
}

/** Missing from the library's types. */
const tbsCertificate = (draft: pki.Certificate): asn1.Asn1 =>
  (pki as unknown as { getTBSCertificate(certificate: pki.Certificate): asn1.Asn1 }).getTBSCertificate(draft);

/** Places in a TBSCertificate of version 3. */
const SIGNATURE_PART = 2;
const PUBLIC_KEY_PART = 6;
const SUBJECT_KEY_ID = "2.5.29.14";
const AUTHORITY_KEY_ID = "2.5.29.35";

/** Each organization is an attribute of its own: that is how a client certificate names its groups. */
function attributesOf({ commonName, organizations = [] }: Subject): pki.CertificateField[] {
  return [
    ...organizations.map((value) => ({ shortName: "O", value, valueTagClass: asn1.Type.UTF8 as never })),
    { shortName: "CN", value: commonName, valueTagClass: asn1.Type.UTF8 as never },
  ];
}

/** The issuer's subject, from its certificate. */
function issuerAttributes({ certificate }: KeyAndCertificate): pki.CertificateField[] {
  const lines = new X509Certificate(certificate).subject.split("\n");
  const value = (name: string) =>
    lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  return attributesOf({ commonName: value("CN")[0] ?? "", organizations: value("O") });
}

function extensionsOf(usage: Usage): object[] {
  switch (usage.kind) {
    case "authority":
      return [
        { name: "basicConstraints", cA: true, critical: true },
        { name: "keyUsage", keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
      ];
    case "server":
      return [...leafExtensions({ serverAuth: true }), ...alternativeNames(usage.names)];
    case "client":
      return leafExtensions({ clientAuth: true });
    case "peer":
      return [...leafExtensions({ serverAuth: true, clientAuth: true }), ...alternativeNames(usage.names)];
  }
}

const leafExtensions = (purpose: object): object[] => [
  { name: "basicConstraints", cA: false, critical: true },
  { name: "keyUsage", digitalSignature: true, critical: true },
  { name: "extKeyUsage", ...purpose },
];

function alternativeNames(names: readonly string[]): object[] {
  if (names.length === 0) return [];
  const altNames = names.map((name) => (isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name }));
  return [{ name: "subjectAltName", altNames }];
}

/** SHA-1 of the key's bits, as RFC 5280 proposes: a name, not a protection. */
function keyIdOf(key: KeyObject): Buffer {
  const spki = asn1.fromDer(key.export({ type: "spki", format: "der" }).toString("latin1"));
  const bitString = (spki.value as asn1.Asn1[])[1]?.value as string;
  // The first byte counts unused bits.
  return createHash("sha1")
    .update(Buffer.from(bitString.slice(1), "latin1"))
    .digest();
}

const { Class, Type } = asn1;
const sequence = (parts: asn1.Asn1[]): asn1.Asn1 => asn1.create(Class.UNIVERSAL, Type.SEQUENCE, true, parts);
const octets = (value: Buffer): asn1.Asn1 =>
  asn1.create(Class.UNIVERSAL, Type.OCTETSTRING, false, value.toString("latin1"));
const bits = (value: Buffer): asn1.Asn1 =>
  asn1.create(Class.UNIVERSAL, Type.BITSTRING, false, `\0${value.toString("latin1")}`);
const tagged = (tag: number, value: Buffer): asn1.Asn1 =>
  asn1.create(Class.CONTEXT_SPECIFIC, tag as never, false, value.toString("latin1"));
const ecdsaWithSha256 = (): asn1.Asn1 =>
  sequence([asn1.create(Class.UNIVERSAL, Type.OID, false, asn1.oidToDer(ECDSA_WITH_SHA256).getBytes())]);
const derText = (node: asn1.Asn1): string => asn1.toDer(node).getBytes();

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
