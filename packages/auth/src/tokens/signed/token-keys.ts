// Keys that sign and verify service account tokens. Source: staging/src/k8s.io/client-go/util/keyutil/key.go.
import { createPrivateKey, createPublicKey, hash, type KeyObject } from "node:crypto";
import type { CompactToken } from "./compact-token";
import { fits, isSignedBy, type SignatureAlgorithm, signatureOf } from "./signature-algorithm";

/**
 * Algorithms of service account tokens. Each key has exactly one, so that a token cannot choose how its signature is
 * verified.
 */
const KEY_ALGORITHMS = ["RS256", "ES256", "ES384", "ES512"] as const satisfies readonly SignatureAlgorithm[];

type TokenAlgorithm = (typeof KEY_ALGORITHMS)[number];

/** Minimum size of RSA keys: shorter ones can be factored. */
const RSA_MIN_BITS = 1024;

export interface VerificationKey {
  /**
   * Digest of the public key: base64url of SHA-256 over its SubjectPublicKeyInfo. The id of an external signer's key is
   * the one that the signer names.
   */
  readonly id: string;
  readonly algorithm: TokenAlgorithm;
  readonly publicKey: KeyObject;
}

export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
}

const BLOCK = /-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g;
const PRIVATE = ["RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY"];
const PUBLIC = ["PUBLIC KEY", "RSA PUBLIC KEY", "CERTIFICATE"];

/**
 * Parses the keys of a PEM file: public keys, private keys and certificates, any number of each; other blocks are
 * skipped.
 * @throws Error when there is none, or one that cannot sign tokens; the message contains no part of a key
 */
export function parseVerificationKeys(pem: string): readonly VerificationKey[] {
  const blocks = [...pem.matchAll(BLOCK)].filter(([, label = ""]) => [...PRIVATE, ...PUBLIC].includes(label));
  if (blocks.length === 0) throw new Error("the file contains no PEM block with an RSA or ECDSA key");
  return blocks.map(([block]) => verificationKey(readable(() => createPublicKey(block))));
}

/**
 * Parses the first private key of a PEM file.
 * @throws Error when there is none, or one that cannot sign tokens
 */
export function parseSigningKey(pem: string): SigningKey {
  const found = [...pem.matchAll(BLOCK)].find(([, label = ""]) => PRIVATE.includes(label));
  if (found === undefined) throw new Error("the file contains no PEM block with a private RSA or ECDSA key");
  const privateKey = readable(() => createPrivateKey(found[0]));
  return { ...verificationKey(createPublicKey(privateKey)), privateKey };
}

/** Replaces the error of a malformed key: OpenSSL's message may contain parts of the key. */
function readable(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch {
    throw new Error("the encoding contains no valid key");
  }
}

/** @param der SubjectPublicKeyInfo @throws Error when it is not a key that can sign tokens */
export function externalKey(id: string, der: Buffer): VerificationKey {
  const publicKey = readable(() => createPublicKey({ key: der, format: "der", type: "spki" }));
  return { id, algorithm: algorithmOf(publicKey), publicKey };
}

function verificationKey(publicKey: KeyObject): VerificationKey {
  const der = publicKey.export({ type: "spki", format: "der" });
  return { id: hash("sha256", der, "base64url" as "base64"), algorithm: algorithmOf(publicKey), publicKey };
}

function algorithmOf(key: KeyObject): TokenAlgorithm {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key;
  const { namedCurve, modulusLength = 0 } = details;
  const algorithm = KEY_ALGORITHMS.find((each) => fits(each, key));
  if (algorithm === undefined) {
    throw new Error(
      `a key of type ${type ?? "unknown"}${namedCurve === undefined ? "" : `, curve ${namedCurve},`} cannot sign tokens`,
    );
  }
  if (type === "rsa" && modulusLength < RSA_MIN_BITS) throw new Error(`an RSA key has fewer than ${RSA_MIN_BITS} bits`);
  return algorithm;
}

/** Returns whether a key signed a token with the key's algorithm. */
export function hasSigned({ algorithm, publicKey }: VerificationKey, token: CompactToken): boolean {
  const { content, signature } = token;
  return token.algorithm === algorithm && isSignedBy(publicKey, { algorithm, content, signature });
}

/** Returns a signed token. jose takes 311 µs of CPU with an RSA key of 2048 bits instead of 280: docs/dependencies.md. */
export async function signToken(claims: object, { id, algorithm, privateKey }: SigningKey): Promise<string> {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const content = `${part({ alg: algorithm, kid: id })}.${part(claims)}`;
  const signature = await signatureOf(privateKey, { algorithm, content });
  return `${content}.${signature.toString("base64url")}`;
}

/**
 * A public key as an entry of a published key set. Not the `JsonWebKey` of `node:crypto`: newer typings of Node.js no longer export it, and
 * this declaration is compiled by every user of the package.
 */
export type PublishedKey = Readonly<Record<string, unknown>>;

/** Returns the key as an entry of a published key set. Source: RFC 7517. */
export function publishedKey({ id, algorithm, publicKey }: VerificationKey): PublishedKey {
  const { kty, ...numbers } = publicKey.export({ format: "jwk" });
  return { use: "sig", ...(kty === undefined ? {} : { kty }), kid: id, alg: algorithm, ...numbers };
}
