// Signature algorithms of tokens: asymmetric ones only, neither `none` nor a shared secret. Source: RFC 7518.
import { constants, type KeyObject, sign, verify } from "node:crypto";

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
  const { digest, signatureBytes }: Algorithm = ALGORITHMS[algorithm];
  if (signatureBytes !== undefined && signature.length !== signatureBytes) return false;
  return verify(digest, Buffer.from(content), inputOf(key, algorithm), signature);
}

/**
 * Signs in another thread: an RSA signature takes most of a millisecond.
 * @param key a private key that fits the algorithm
 */
export function signatureOf(
  key: KeyObject,
  { algorithm, content }: { algorithm: SignatureAlgorithm; content: string },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign(ALGORITHMS[algorithm].digest, Buffer.from(content), inputOf(key, algorithm), (error, signature) => {
      if (error === null) resolve(signature);
      else reject(error);
    });
  });
}

/** Returns the key in the form that node:crypto expects. An ECDSA signature is two numbers of equal length. */
function inputOf(key: KeyObject, algorithm: SignatureAlgorithm) {
  const { type, pss }: Algorithm = ALGORITHMS[algorithm];
  if (type === "ec") return { key, dsaEncoding: "ieee-p1363" } as const;
  return pss === true
    ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : { key, padding: constants.RSA_PKCS1_PADDING };
}
