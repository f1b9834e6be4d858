// Validation of issued certificates. Source: pkg/apis/certificates/validation/validation.go.
import { X509Certificate } from "node:crypto";
import { type PemBlock, pemBlocks } from "./pem-blocks";

/** Checks a chain. @param encoded base64 of PEM @returns the error; undefined for a valid chain */
export function certificateChainError(encoded: string): string | undefined {
  const blocks: PemBlock[] = [];
  for (const block of pemBlocks(Buffer.from(encoded, "base64").toString("latin1"))) {
    blocks.push(block);
    if (blocks.length > BLOCKS_MAX) break;
  }
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  if (blocks.length > BLOCKS_MAX) return `must not contain more than ${BLOCKS_MAX} PEM blocks`;
  for (const { label, hasHeaders, bytes } of blocks) {
    if (label !== "CERTIFICATE") return "only CERTIFICATE PEM blocks are allowed";
    if (hasHeaders) return "no PEM block headers are permitted";
    if (!isCertificate(bytes)) return "cannot be read as a certificate";
  }
  return undefined;
}

/** Far more than the length of any chain. */
const BLOCKS_MAX = 256;

function isCertificate(bytes: Buffer): boolean {
  try {
    return new X509Certificate(bytes) !== undefined;
  } catch {
    return false;
  }
}
