// Extensions of certificates and certificate revocation lists. Source: RFC 5280, section 4.1.
import { DER_TAG, type DerValue, derValues, objectIdentifier } from "@orch/platform";

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
