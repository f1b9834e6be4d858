// Subject attributes of a certificate.
import type { X509Certificate } from "node:crypto";

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
