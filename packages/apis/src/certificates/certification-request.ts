// Requests for certificates as clients make them: a name and a key, signed with that key. Source: RFC 2986 (PKCS #10).
import { createPublicKey, verify } from "node:crypto";
import { derValues, objectIdentifier } from "@orch/machinery";
import { pemBlocks } from "./pem-blocks";

const LABEL = "CERTIFICATE REQUEST";

/** The digest that each kind of signature is made of; null where the key's own kind says it. */
const DIGESTS: Readonly<Record<string, string | null>> = {
  "1.2.840.113549.1.1.5": "sha1",
  "1.2.840.113549.1.1.11": "sha256",
  "1.2.840.113549.1.1.12": "sha384",
  "1.2.840.113549.1.1.13": "sha512",
  "1.2.840.10045.4.1": "sha1",
  "1.2.840.10045.4.3.2": "sha256",
  "1.2.840.10045.4.3.3": "sha384",
  "1.2.840.10045.4.3.4": "sha512",
  "1.3.101.112": null,
};

/**
 * @param encoded base64 of PEM, as the field of a request holds it
 * @returns what is wrong with it; undefined where nothing is
 */
export function certificationRequestError(encoded: string): string | undefined {
  const [block] = pemBlocks(Buffer.from(encoded, "base64").toString("latin1"));
  if (block?.label !== LABEL) return `PEM block type must be ${LABEL}`;
  try {
    return isSignedByItsKey(block.bytes) ? undefined : "the signature does not fit the request's key";
  } catch {
    return "cannot be read as a request for a certificate";
  }
}

/** @throws Error for what is no request */
function isSignedByItsKey(bytes: Buffer): boolean {
  const [whole] = derValues(bytes);
  const [info, algorithm, signature] = derValues(whole?.content ?? Buffer.alloc(0));
  const [, , key] = derValues(info?.content ?? Buffer.alloc(0));
  const [algorithmId] = derValues(algorithm?.content ?? Buffer.alloc(0));
  if (info === undefined || key === undefined || algorithmId === undefined || signature === undefined) {
    throw new RangeError("parts of the request are missing");
  }
  const digest = DIGESTS[objectIdentifier(algorithmId.content)];
  if (digest === undefined) throw new RangeError("unknown kind of signature");
  // A string of bits begins with the number of bits that do not count.
  const publicKey = createPublicKey({ key: key.bytes, format: "der", type: "spki" });
  return verify(digest, info.bytes, publicKey, signature.content.subarray(1));
}
