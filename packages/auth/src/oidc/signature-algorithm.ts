// Signature algorithms of ID tokens: asymmetric ones only, neither `none` nor a shared secret. Source: RFC 7518.
import { constants, type KeyObject, verify } from "node:crypto";

interface Algorithm {
  readonly digest: "sha256" | "sha384" | "sha512";
  /** Type of the key. */
  readonly type: "rsa" | "ec";
  readonly pss?: true;
  /** OpenSSL's name of the curve. */
  readonly curve?: string;
  /** Length of a signature with a key on that curve. */
  readonly signatureBytes?: number;
}

const ALGORITHMS = {
  RS256: { digest: "sha256", type: "rsa" },
  RS384: { digest: "sha384", type: "rsa" },
  RS512: { digest: "sha512", type: "rsa" },
  ES256: { digest: "sha256", type: "ec", curve: "prime256v1", signatureBytes: 64 },
  ES384: { digest: "sha384", type: "ec", curve: "secp384r1", signatureBytes: 96 },
  ES512: { digest: "sha512", type: "ec", curve: "secp521r1", signatureBytes: 132 },
  PS256: { digest: "sha256", type: "rsa", pss: true },
  PS384: { digest: "sha384", type: "rsa", pss: true },
  PS512: { digest: "sha512", type: "rsa", pss: true },
} as const satisfies Readonly<Record<string, Algorithm>>;

export type SignatureAlgorithm = keyof typeof ALGORITHMS;

export const SIGNATURE_ALGORITHMS = Object.keys(ALGORITHMS) as readonly SignatureAlgorithm[];

/** Returns whether a key can be used with an algorithm: a token does not choose how a key is used. */
export function fits(algorithm: SignatureAlgorithm, key: KeyObject): boolean {
  const { type, curve }: Algorithm = ALGORITHMS[algorithm];
  if (key.asymmetricKeyType !== type) return false;
  return curve === undefined || key.asymmetricKeyDetails?.namedCurve === curve;
}

/**
 * Verifies a signature.
 * @param key a key that fits the algorithm
 */
export function isSignedBy(
  key: KeyObject,
  { algorithm, content, signature }: { algorithm: SignatureAlgorithm; content: string; signature: Buffer },
): boolean {
  const { digest, type, pss, signatureBytes }: Algorithm = ALGORITHMS[algorithm];
  const data = Buffer.from(content);
  if (type === "ec") {
    return signature.length === signatureBytes && verify(digest, data, { key, dsaEncoding: "ieee-p1363" }, signature);
  }
  const padding = pss === true ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING;
  const salt = pss === true ? { saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {};
  return verify(digest, data, { key, padding, ...salt }, signature);
}
