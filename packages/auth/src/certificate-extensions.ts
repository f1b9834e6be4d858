// The extensions that certificates and lists of revoked ones carry. Source: RFC 5280, 4.1 "Extensions".
import { DER_TAG, type DerValue, derValues, objectIdentifier } from "@orch/platform";

export interface CertificateExtension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** @param list the sequence of them @throws RangeError for one that is not well-formed */
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

/** @param holder which has the sequence alone in it */
export const extensionsHeldBy = (holder: DerValue | undefined): CertificateExtension[] =>
  holder === undefined ? [] : extensionsIn(derValues(holder.content)[0]);
