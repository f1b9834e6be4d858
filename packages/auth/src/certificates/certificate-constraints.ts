// Constraints in the extensions of a certificate; node:crypto exposes only a part of them. Source: RFC 5280, section
// 4.2.1.
import type { X509Certificate } from "node:crypto";
import {
  AGENT_CLIENT_USAGE,
  type CertificateExtension,
  type CertificateFields,
  certificateFields,
  DER_TAG,
  type DerValue,
  derValues,
  extensionsHeldBy,
  objectIdentifier,
} from "@orch/platform";

export interface CertificateConstraints {
  /**
   * Whether the certificate says that it is a CA certificate. The key usage is checked together with the signatures.
   */
  readonly mayIssue: boolean;
  /**
   * Whether the certificate may end a chain as a trusted one. Certificates before version 3 cannot say that they are CA
   * certificates, and are accepted, as by kube-apiserver.
   */
  readonly mayAnchor: boolean;
  /** Maximum number of intermediate certificates between this one and the leaf. */
  readonly pathLength: number;
  /** Object identifiers; undefined: any usage. */
  readonly extendedKeyUsages: readonly string[] | undefined;
  /** Whether the certificate identifies API servers to kubelets. It identifies no client to an API server. */
  readonly isForAgents: boolean;
  /** A critical extension that is not supported. A certificate with one must be rejected. */
  readonly unknownCritical: string | undefined;
}

const OID = {
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  extendedKeyUsage: "2.5.29.37",
} as const;
const UNDERSTOOD: readonly string[] = Object.values(OID);

const ANY_EXTENDED_KEY_USAGE = "2.5.29.37.0";
export const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

/**
 * Reads the constraints of a certificate.
 * @throws RangeError for a malformed certificate
 */
export function constraintsOf(certificate: X509Certificate): CertificateConstraints {
  const fields = certificateFields(certificate.raw);
  const extensions = extensionsOf(fields);
  const basic = sequenceIn(extensions.get(OID.basicConstraints));
  const pathLength = basic?.find((value) => value.tag === DER_TAG.integer)?.content;
  const usages = sequenceIn(extensions.get(OID.extendedKeyUsage))?.map((value) => objectIdentifier(value.content));
  const mayIssue = basic?.[0]?.tag === DER_TAG.boolean && basic[0].content[0] !== 0;
  return {
    mayIssue,
    mayAnchor: mayIssue || (fields.version < 3 && basic === undefined),
    pathLength: pathLength === undefined ? Number.POSITIVE_INFINITY : pathLength.readUIntBE(0, pathLength.length),
    isForAgents: usages?.includes(AGENT_CLIENT_USAGE) ?? false,
    extendedKeyUsages: usages?.includes(ANY_EXTENDED_KEY_USAGE) ? undefined : usages,
    unknownCritical: [...extensions].find(([oid, { critical }]) => critical && !UNDERSTOOD.includes(oid))?.[0],
  };
}

function extensionsOf({ extensions }: CertificateFields): Map<string, CertificateExtension> {
  return new Map(extensionsHeldBy(extensions).map((extension) => [extension.oid, extension]));
}

function sequenceIn(extension: CertificateExtension | undefined): DerValue[] | undefined {
  const sequence = extension === undefined ? undefined : derValues(extension.value)[0];
  return sequence === undefined ? undefined : derValues(sequence.content);
}
