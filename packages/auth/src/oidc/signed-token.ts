// A JSON Web Token in its compact form: taken apart, and nothing believed. Source: RFC 7515, 7519, 8725.
import { isObject, type JsonObject } from "@orch/schema";

export interface SignedToken {
  readonly algorithm: string;
  /** Undefined: the token does not say which key has signed it. */
  readonly keyId: string | undefined;
  /** Said by whoever made the token: true only once the signature is verified. */
  readonly claims: JsonObject;
  /** What is signed. */
  readonly signed: string;
  readonly signature: Buffer;
}

const BASE64URL = /^[A-Za-z0-9_-]*$/;

/** @returns undefined for what is no such token: it may be one of another method */
export function readSignedToken(token: string): SignedToken | undefined {
  const [header = "", claims = "", signature = "", ...more] = token.split(".", 4);
  if (more.length > 0 || header === "" || claims === "" || !BASE64URL.test(signature)) return undefined;
  const head = objectOf(header);
  const body = objectOf(claims);
  if (head === undefined || body === undefined) return undefined;
  const { alg, kid } = head;
  // What is critical has to be understood, and none is: keys that a token brings or points to (jwk, jku, x5c, x5u) are not looked at either.
  if (typeof alg !== "string" || Object.hasOwn(head, "crit") || Object.hasOwn(head, "b64")) return undefined;
  if (kid !== undefined && typeof kid !== "string") return undefined;
  return {
    algorithm: alg,
    keyId: kid === "" ? undefined : kid,
    claims: body,
    signed: `${header}.${claims}`,
    signature: Buffer.from(signature, "base64url"),
  };
}

function objectOf(part: string): JsonObject | undefined {
  if (!BASE64URL.test(part)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isObject(value as JsonObject) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
