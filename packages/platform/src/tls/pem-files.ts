// Reads certificates and keys from files that options name, and validates them. An error names the option and the
// problem.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readOptionFile } from "../files/option-file";

/** Matches certificates in a PEM text with arbitrary text between them. Source: RFC 7468. */
const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** Returns the PEM blocks of certificates, whose content may be damaged. */
export const certificateBlocks = (text: string): readonly string[] => text.match(CERTIFICATE) ?? [];

/**
 * Reads certificates.
 * @returns the text of a file with at least one PEM certificate
 * @throws Error that names the option, for a file that is unreadable, has no certificate, or a damaged one
 */
export function readCertificates(option: string, path: string): string {
  const text = readOptionFile(option, path);
  const found = certificateBlocks(text);
  if (found.length === 0) throw new Error(`--${option}: ${path} contains no PEM certificate`);
  found.forEach((pem, index) => {
    try {
      new X509Certificate(pem);
    } catch (error) {
      throw new Error(`--${option}: certificate ${index + 1} of ${path} is damaged`, { cause: error });
    }
  });
  return text;
}

/**
 * Reads the private key of a certificate.
 * @param certificates PEM; the first one is that of the key
 * @throws Error that names the option, for a file that is unreadable, has no private key, or the key of another
 * certificate
 */
export function readKeyOf(certificates: string, option: string, path: string): string {
  const text = readOptionFile(option, path);
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch (error) {
    throw new Error(`--${option}: ${path} contains no readable PEM private key`, { cause: error });
  }
  if (!new X509Certificate(certificates).checkPrivateKey(key)) {
    throw new Error(`--${option}: the key in ${path} is not the certificate's`);
  }
  return text;
}
