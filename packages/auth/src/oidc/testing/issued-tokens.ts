// An issuer for tests: signs arbitrary claims with keys of any type.
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export const ISSUER = "https://issuer.test";
export const AUDIENCE = "orch";

const rsa = () => generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = (namedCurve: string) => generateKeyPairSync("ec", { namedCurve });

/** Created once: generating an RSA pair takes a while. */
const PAIRS = {
  first: rsa(),
  second: rsa(),
  p256: ec("P-256"),
  p384: ec("P-384"),
  p521: ec("P-521"),
} as const;

export type PairName = keyof typeof PAIRS;

/** Returns a key as an entry of a key set. */
export function published(name: PairName, more: object = {}): object {
  return { ...PAIRS[name].publicKey.export({ format: "jwk" }), kid: name, use: "sig", ...more };
}

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

export interface SignParts {
  readonly header?: object;
  readonly key?: PairName;
  readonly alg?: string;
}

/** @param claims added to `iss`, `aud`, `sub` and `exp`, or replacing them; undefined ones are left out */
export function signed(
  claims: object,
  { key = "first", alg = "RS256", header = {} }: SignParts,
  nowMs: number,
): string {
  const now = Math.floor(nowMs / 1000);
  const content = `${part({ alg, kid: key, ...header })}.${part({ iss: ISSUER, aud: AUDIENCE, sub: "ann", exp: now + 600, ...claims })}`;
  return `${content}.${signatureOf(content, alg, PAIRS[key].privateKey).toString("base64url")}`;
}

function signatureOf(content: string, alg: string, key: KeyObject): Buffer {
  const digest = `sha${alg.slice(2)}`;
  const how = alg.startsWith("PS")
    ? { key, ...PSS }
    : alg.startsWith("ES")
      ? { key, dsaEncoding: "ieee-p1363" as const }
      : key;
  return sign(digest, Buffer.from(content), how);
}

/** Creates a token that is signed with the public key as a shared secret. */
export function signedWithPublicKey(claims: object, nowMs: number): string {
  const [, body] = signed(claims, {}, nowMs).split(".");
  const content = `${part({ alg: "HS256", kid: "first" })}.${body}`;
  const secret = PAIRS.first.publicKey.export({ type: "spki", format: "pem" });
  return `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`;
}

/** Creates a token with an empty signature. */
export function unsigned(claims: object, nowMs: number, alg = "none"): string {
  const [, body] = signed(claims, {}, nowMs).split(".");
  return `${part({ alg, kid: "first" })}.${body}.`;
}
