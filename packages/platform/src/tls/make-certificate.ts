// The maker of certificates is large and loaded only once one is made: most starts of a program find theirs made.
import type { CertificateOptions, KeyAndCertificate } from "./certificate-material";

export function makeCertificate(options: CertificateOptions): KeyAndCertificate {
  const material = require("./certificate-material") as typeof import("./certificate-material");
  return material.makeCertificate(options);
}
