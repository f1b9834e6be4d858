// Subject attributes of a certificate.
// In Node.js 26, toLegacyObject breaks the module node:tls when it runs before that module is loaded.
import "node:tls";
import type { X509Certificate } from "node:crypto";
import { certificateFields, derValues, objectIdentifier } from "@orch/platform";

/** Returns the last common name; "" when there is none. */
export const commonNameOf = (certificate: X509Certificate): string => subjectValues(certificate, "CN").at(-1) ?? "";

export const organizationsOf = (certificate: X509Certificate): string[] => subjectValues(certificate, "O");

/** Returns the values of an attribute. Node.js returns a single value as a string and several as an array. */
function subjectValues(certificate: X509Certificate, name: string): string[] {
  const subject = certificate.toLegacyObject().subject as unknown as Readonly<
    Record<string, string | string[] | undefined>
  >;
  const attribute = subject[name];
  return attribute === undefined ? [] : Array.isArray(attribute) ? attribute : [attribute];
}

/** Source: staging/src/k8s.io/apimachinery/pkg/apis/asn1/oid.go. */
const USER_UID = "1.3.6.1.4.1.57683.2";

/**
 * Returns the UIDs of users in the subject. They are read from the encoded subject, because node:crypto does not tell
 * text from other values. A value that is not text is returned as "".
 */
export function userUidsOf(certificate: X509Certificate): string[] {
  const { subject } = certificateFields(certificate.raw);
  return derValues(subject.content)
    .flatMap((names) => derValues(names.content))
    .flatMap((attribute) => {
      const [type, value] = derValues(attribute.content);
      if (type === undefined || value === undefined || objectIdentifier(type.content) !== USER_UID) return [];
      return TEXT_TAGS.has(value.tag) ? [value.content.toString("utf8")] : [""];
    });
}

/** UTF8String, NumericString, PrintableString, IA5String. */
const TEXT_TAGS: ReadonlySet<number> = new Set([0x0c, 0x12, 0x13, 0x16]);
