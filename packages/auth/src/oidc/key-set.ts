// Key set of an issuer. Source: RFC 7517. node:crypto reads a key in 11 µs (RSA) or 73 µs (P-256), jose in 46 or 125 µs
// and without limits on the size of keys: docs/dependencies.md.

import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isObject, type JsonObject } from "@orch/schema";
import type { CompactToken } from "../tokens/signed/compact-token";
import { fits, isSignedBy, type SignatureAlgorithm } from "../tokens/signed/signature-algorithm";

interface IssuerKey {
  readonly key: KeyObject;
  readonly keyId: string | undefined;
  /** The algorithm that the key is limited to; undefined: any that fits it. */
  readonly algorithm: string | undefined;
}

/**
 * Maximum number of keys. Parsing a key on a large curve takes some milliseconds: each key gets an event loop turn of
 * its own.
 */
const KEYS_MAX = 128;
/** Maximum number of keys tried for one token: several may have the same identifier, and the token may name none. */
const TRIES_MAX = 8;
/** Key size in bits. Smaller keys are not secure, larger ones are slow. Source: RFC 7518, section 3.3. */
const RSA_BITS = { least: 2048, most: 8192 };
const EXPONENT_MAX = 2n ** 64n;

export type KeySetAnswer = "verified" | "wrongSignature" | "unknownKey";

export class KeySet {
  /** Number of keys in the document that cannot be used for verification. */
  readonly skipped: number;
  readonly size: number;
  private readonly byId = new Map<string, IssuerKey[]>();

  private constructor(
    private readonly keys: readonly IssuerKey[],
    skipped: number,
  ) {
    this.skipped = skipped;
    this.size = keys.length;
    for (const key of keys) {
      if (key.keyId === undefined) continue;
      const same = this.byId.get(key.keyId);
      if (same === undefined) this.byId.set(key.keyId, [key]);
      else same.push(key);
    }
  }

  /**
   * Reads a key set document.
   * @throws Error for a document that is not a key set, or has no usable key
   */
  static async read(document: JsonObject): Promise<KeySet> {
    const list = document["keys"];
    if (!Array.isArray(list)) throw new Error("the key set has no list of keys");
    if (list.length > KEYS_MAX) throw new Error(`the key set has ${list.length} keys; at most ${KEYS_MAX} are allowed`);
    const keys: IssuerKey[] = [];
    for (const each of list) {
      const key = keyOf(each);
      if (key !== undefined) keys.push(key);
      await nextTurn();
    }
    if (keys.length === 0) throw new Error("the key set has no key that verifies signatures");
    return new KeySet(keys, list.length - keys.length);
  }

  /**
   * Verifies the signature of a token.
   * @param algorithm the token's algorithm, one of the accepted ones
   */
  verify({ keyId, content, signature }: CompactToken, algorithm: SignatureAlgorithm): KeySetAnswer {
    const named = keyId === "" ? this.keys : (this.byId.get(keyId) ?? []);
    const candidates = named.filter(
      (each) => (each.algorithm === undefined || each.algorithm === algorithm) && fits(algorithm, each.key),
    );
    if (candidates.length === 0) return "unknownKey";
    const isVerified = candidates
      .slice(0, TRIES_MAX)
      .some(({ key }) => isSignedBy(key, { algorithm, content, signature }));
    return isVerified ? "verified" : "wrongSignature";
  }
}

/** Members of the public part by key type. All other members are ignored. */
const PUBLIC_PARTS: Readonly<Record<string, readonly string[]>> = { RSA: ["n", "e"], EC: ["crv", "x", "y"] };

function keyOf(value: unknown): IssuerKey | undefined {
  if (!isObject(value as JsonObject)) return undefined;
  const jwk = value as JsonObject;
  const { kty, kid, alg, use, key_ops: operations } = jwk;
  const parts = typeof kty === "string" && Object.hasOwn(PUBLIC_PARTS, kty) ? PUBLIC_PARTS[kty] : undefined;
  if (parts === undefined || (use !== undefined && use !== "sig")) return undefined;
  if (Array.isArray(operations) && !operations.includes("verify")) return undefined;
  const publicPart = Object.fromEntries(parts.map((name) => [name, jwk[name]]));
  try {
    const key = createPublicKey({ key: { kty, ...publicPart } as JsonWebKey, format: "jwk" });
    if (!isStrong(key)) return undefined;
    return {
      key,
      keyId: typeof kid === "string" && kid !== "" ? kid : undefined,
      algorithm: typeof alg === "string" ? alg : undefined,
    };
  } catch {
    return undefined;
  }
}

function isStrong({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType !== "rsa") return true;
  const { modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  return (
    modulusLength >= RSA_BITS.least &&
    modulusLength <= RSA_BITS.most &&
    publicExponent >= 3n &&
    publicExponent < EXPONENT_MAX
  );
}
