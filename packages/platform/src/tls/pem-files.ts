// Certificates and keys in the files that options name, looked at before they are used: an error names the option and its flaw.
import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readOptionFile } from "../option-file";
import { certificateBlocks } from "./certificate-blocks";

/**
 * @returns the text of a file that holds one certificate or more, PEM
 * @throws Error that names the option, for a file that cannot be read, holds none, or one that is damaged
 */
export function readCertificates(option: string, path: string): string {
  const text = readOptionFile(option, path);
  const found = certificateBlocks(text);
  if (found.length === 0) throw new Error(`--${option}: ${path} holds no certificate in PEM form`);
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
 * @param certificates PEM; the first is the key's
 * @throws Error that names the option, for a file that cannot be read, holds no private key, or the key of another certificate
 */
export function readKeyOf(certificates: string, option: string, path: string): string {
  const text = readOptionFile(option, path);
  let key: KeyObject;
  try {
    key = createPrivateKey(text);
  } catch (error) {
    throw new Error(`--${option}: ${path} holds no private key in PEM form that can be read`, { cause: error });
  }
  if (!new X509Certificate(certificates).checkPrivateKey(key)) {
    throw new Error(`--${option}: the key in ${path} is not the certificate's`);
  }
  return text;
}
