// Signature algorithm and names of an issuer, for the certificates that it issues. Source: RFC 5280, sections 4.1.1.2,
// 4.1.2.4 and 4.2.1.1; RFC 5758; RFC 8410.
import { createPublicKey, type KeyObject } from "node:crypto";
import { certificateFields, extensionsHeldBy } from "../der/certificate-fields";
import { derValues } from "../der/der";
import { derObjectIdentifier, derSequence } from "../der/der-writing";

export interface SignatureScheme {
  /** AlgorithmIdentifier, DER. */
  readonly algorithm: Buffer;
  /** Null when the type of the key determines the digest. */
  readonly digest: "sha256" | "sha384" | "sha512" | null;
}

const algorithm = (oid: string, ...parameters: readonly Buffer[]): Buffer =>
  derSequence(derObjectIdentifier(oid), ...parameters);
const NULL = Buffer.from([0x05, 0x00]);

const RSA: SignatureScheme = { algorithm: algorithm("1.2.840.113549.1.1.11", NULL), digest: "sha256" };
const ED25519: SignatureScheme = { algorithm: algorithm("1.3.101.112"), digest: null };
/** ECDSA schemes with the digest of matching size, by the curve names of Node.js. */
const BY_CURVE: Readonly<Record<string, SignatureScheme>> = {
  prime256v1: { algorithm: algorithm("1.2.840.10045.4.3.2"), digest: "sha256" },
  secp384r1: { algorithm: algorithm("1.2.840.10045.4.3.3"), digest: "sha384" },
  secp521r1: { algorithm: algorithm("1.2.840.10045.4.3.4"), digest: "sha512" },
};

/**
 * Returns the signature scheme of a private key.
 * @throws Error for a key of another type than RSA, ECDSA on a NIST curve, or Ed25519
 */
export function signatureScheme(key: KeyObject): SignatureScheme {
  const { asymmetricKeyType: kind } = key;
  if (kind === "rsa") return RSA;
  if (kind === "ed25519") return ED25519;
  const curve = kind === "ec" ? (createPublicKey(key).asymmetricKeyDetails?.namedCurve ?? "") : "";
  const scheme = BY_CURVE[curve];
  if (scheme === undefined) {
    const found = [kind, curve].filter(Boolean).join(" ");
    throw new Error(`the key of a CA must be RSA, ECDSA on P-256, P-384 or P-521, or Ed25519, not ${found}`);
  }
  return scheme;
}

export interface IssuerNames {
  /** Subject of the issuer in DER, as encoded in its certificate: verifiers of the chain compare the bytes. */
  readonly name: Buffer;
  /** Key identifier for verifiers; undefined when the issuer's certificate has none. */
  readonly keyId: Buffer | undefined;
}

const SUBJECT_KEY_ID = "2.5.29.14";

/**
 * Reads the names from the issuer's certificate.
 * @param raw the certificate in DER
 * @throws RangeError for a malformed certificate
 */
export function issuerNames(raw: Buffer): IssuerNames {
  const { subject, extensions } = certificateFields(raw);
  const keyId = extensionsHeldBy(extensions).find(({ oid }) => oid === SUBJECT_KEY_ID);
  return { name: subject.bytes, keyId: keyId && derValues(keyId.value)[0]?.content };
}
