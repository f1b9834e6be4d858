// A signed token in its compact form, taken apart. Nothing in it is to be believed before its signature was checked.
import { isObject, type JsonObject, type JsonValue } from "@orch/schema";

export interface CompactToken {
  readonly algorithm: string;
  /** Names the key that signed it; "" where it does not say. */
  readonly keyId: string;
  readonly claims: JsonObject;
  /** What is signed. */
  readonly content: string;
  readonly signature: Buffer;
}

const PARTS = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/**
 * @returns undefined for text that is no such token: not three parts of base64url, of which the first two are JSON objects, or with a
 * header that says what is not understood here (`crit`), which readers have to refuse
 */
export function readCompactToken(token: string): CompactToken | undefined {
  const [, head, body, signature] = PARTS.exec(token) ?? [];
  if (head === undefined || body === undefined || signature === undefined) return undefined;
  const header = jsonOf(head);
  if (header === undefined || "crit" in header) return undefined;
  const { alg, kid = "" } = header;
  if (typeof alg !== "string" || typeof kid !== "string") return undefined;
  const claims = jsonOf(body);
  if (claims === undefined) return undefined;
  const bytes = bytesOf(signature);
  if (bytes === undefined) return undefined;
  return { algorithm: alg, keyId: kid, claims, content: `${head}.${body}`, signature: bytes };
}

/** What it says of who has issued it, before anything is known of it. */
export const issuerOf = ({ claims: { iss } }: CompactToken): string => (typeof iss === "string" ? iss : "");

function jsonOf(part: string): JsonObject | undefined {
  const bytes = bytesOf(part);
  if (bytes === undefined) return undefined;
  try {
    const value = JSON.parse(bytes.toString("utf8")) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** One character of four makes no byte. */
const bytesOf = (part: string): Buffer | undefined =>
  part.length % 4 === 1 ? undefined : Buffer.from(part, "base64url");
