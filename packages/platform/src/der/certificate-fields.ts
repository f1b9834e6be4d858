// Fields of certificates as they are encoded, and extensions of certificates and certificate revocation lists;
// node:crypto exposes only a part of them. node-forge reads certificates with RSA keys only, and loading its `pki` takes
// 30 ms of CPU: docs/dependencies.md. Source: RFC 5280, section 4.1.
import { DER_TAG, type DerValue, derValues, objectIdentifier } from "./der";

/** Fields whose bytes verifiers compare or hash. */
export interface CertificateFields {
  /** 1, 2 or 3. */
  readonly version: number;
  readonly serial: DerValue;
  readonly issuer: DerValue;
  readonly subject: DerValue;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: DerValue;
  /** Explicitly tagged; undefined when there are none. */
  readonly extensions: DerValue | undefined;
}

/**
 * Reads the fields of a certificate.
 * @param raw DER
 * @throws RangeError for a malformed certificate
 */
export function certificateFields(raw: Buffer): CertificateFields {
  const [signedPart] = derValues(derValues(raw)[0]?.content ?? raw);
  const fields = derValues(signedPart?.content ?? raw);
  // Certificates of version 1 need no version field.
  const version = fields[0]?.tag === DER_TAG.context0 ? derValues(fields[0].content)[0]?.content[0] : 0;
  const [serial, , issuer, , subject, publicKey, ...others] =
    fields[0]?.tag === DER_TAG.context0 ? fields.slice(1) : fields;
  if (serial === undefined || issuer === undefined || subject === undefined || publicKey === undefined)
    throw new RangeError("certificate lacks a part");
  return {
    version: (version ?? 0) + 1,
    serial,
    issuer,
    subject,
    publicKey,
    extensions: others.find(({ tag }) => tag === DER_TAG.context3),
  };
}

export interface CertificateExtension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

const NOTHING = Buffer.alloc(0);

/**
 * Reads the extensions.
 * @param list the sequence of extensions
 * @throws RangeError when it is malformed
 */
export function extensionsIn(list: DerValue | undefined): CertificateExtension[] {
  if (list === undefined) return [];
  return derValues(list.content).map((extension) => {
    const parts = derValues(extension.content);
    return {
      oid: objectIdentifier(parts[0]?.content ?? NOTHING),
      critical: parts.some(({ tag, content }) => tag === DER_TAG.boolean && content[0] !== 0),
      value: parts.find(({ tag }) => tag === DER_TAG.octetString)?.content ?? NOTHING,
    };
  });
}

/**
 * Reads the extensions from an explicitly tagged field.
 * @param holder a value that contains only the sequence
 */
export const extensionsHeldBy = (holder: DerValue | undefined): CertificateExtension[] =>
  holder === undefined ? [] : extensionsIn(derValues(holder.content)[0]);
