// What a certificate says of whom it is for.
import type { X509Certificate } from "node:crypto";

/** The last one; "" where there is none. */
export const commonNameOf = (certificate: X509Certificate): string => subjectValues(certificate, "CN").at(-1) ?? "";

export const organizationsOf = (certificate: X509Certificate): string[] => subjectValues(certificate, "O");

/** One value comes bare, several as an array. */
function subjectValues(certificate: X509Certificate, name: string): string[] {
  const subject = certificate.toLegacyObject().subject as unknown as Readonly<
    Record<string, string | string[] | undefined>
  >;
  const attribute = subject[name];
  return attribute === undefined ? [] : Array.isArray(attribute) ? attribute : [attribute];
}
