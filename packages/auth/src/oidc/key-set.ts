// The keys with which an issuer says that it signs. Source: RFC 7517.

import { createPublicKey, type JsonWebKey, type KeyObject } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isObject, type JsonObject } from "@orch/schema";
import type { CompactToken } from "../tokens/signed/compact-token";
import { fits, isSignedBy, type SignatureAlgorithm } from "./signature-algorithm";

interface IssuerKey {
  readonly key: KeyObject;
  readonly keyId: string | undefined;
  /** The one that it is for; undefined: any that it fits. */
  readonly algorithm: string | undefined;
}

/** One on a large curve takes some milliseconds to read: each has a turn of the event loop of its own. */
const KEYS_MAX = 128;
/** Tried for one token: with the same identifier, or where the token names none. */
const TRIES_MAX = 8;
/** Bits. Smaller ones are no protection, larger ones take long. Source: RFC 7518, section 3.3. */
const RSA_BITS = { least: 2048, most: 8192 };
const EXPONENT_MAX = 2n ** 64n;

export type KeySetAnswer = "verified" | "wrongSignature" | "unknownKey";

export class KeySet {
  /** What is in the document and cannot be used to verify. */
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

  /** @throws Error for what is no set of keys, or has none that could be used */
  static async read(document: JsonObject): Promise<KeySet> {
    const list = document["keys"];
    if (!Array.isArray(list)) throw new Error("it has no list of keys");
    if (list.length > KEYS_MAX) throw new Error(`it has ${list.length} keys; ${KEYS_MAX} are the most`);
    const keys: IssuerKey[] = [];
    for (const each of list) {
      const key = keyOf(each);
      if (key !== undefined) keys.push(key);
      await nextTurn();
    }
    if (keys.length === 0) throw new Error("it has no key by which signatures can be verified");
    return new KeySet(keys, list.length - keys.length);
  }

  /** @param algorithm the token's, one of those that are accepted */
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

/** Of each kind of key, the members of its public part: nothing else of what stands there is looked at. */
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
