// PKCS #10 certification requests: subject and key, signed with that key. Source: RFC 2986.
import { verify } from "node:crypto";
import { firstPemBlock } from "./pem-blocks";
import { publicKeyOf } from "./request-key";
import { REQUEST_LABEL, readSigningRequest, type SigningRequest } from "./signing-request";

/** Digest of each signature algorithm; null when the key type implies it. */
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
 * Checks a request.
 * @param encoded base64 of PEM, as in `spec.request`
 * @returns the error; undefined for a valid request
 */
export function certificationRequestError(encoded: string): string | undefined {
  const block = firstPemBlock(Buffer.from(encoded, "base64").toString("latin1"));
  if (block?.label !== REQUEST_LABEL) return `PEM block type must be ${REQUEST_LABEL}`;
  try {
    return isSignedByItsKey(readSigningRequest(block.bytes))
      ? undefined
      : "the signature does not fit the request's key";
  } catch {
    return "cannot be read as a request for a certificate";
  }
}

/** Verifies the signature of a request. @throws Error for an invalid key or an unknown signature algorithm */
export function isSignedByItsKey({ key, signature }: SigningRequest): boolean {
  const digest = DIGESTS[signature.algorithm];
  if (digest === undefined) throw new RangeError("unknown kind of signature");
  return verify(digest, signature.signed, publicKeyOf(key), signature.bytes);
}
