// Certificates as signers return them. Source: facts, validation/certificates.md "status.certificate".
import { X509Certificate } from "node:crypto";
import { pemBlocks } from "./pem-blocks";

/** @param encoded base64 of PEM @returns what is wrong with it; undefined where nothing is */
export function certificateChainError(encoded: string): string | undefined {
  const blocks = pemBlocks(Buffer.from(encoded, "base64").toString("latin1"));
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  if (blocks.length > BLOCKS_MAX) return `must not contain more than ${BLOCKS_MAX} PEM blocks`;
  for (const { label, hasHeaders, bytes } of blocks) {
    if (label !== "CERTIFICATE") return "only CERTIFICATE PEM blocks are allowed";
    if (hasHeaders) return "no PEM block headers are permitted";
    if (!isCertificate(bytes)) return "cannot be read as a certificate";
  }
  return undefined;
}

/** Far more than there are authorities in a row. */
const BLOCKS_MAX = 256;

function isCertificate(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes) !== undefined;
  } catch {
    return false;
  }
}
