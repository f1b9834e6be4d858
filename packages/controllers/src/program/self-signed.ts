// A certificate that lives as long as the process, for programs that are given none: who scrapes must not check it.
import { generateKeyPairSync, randomBytes } from "node:crypto";

const DAY_MS = 86_400_000;
const LIFE_DAYS = 365;

export function selfSigned(commonName: string): { readonly cert: string; readonly key: string } {
  const { md, pki } = require("node-forge") as typeof import("node-forge"); // large, and needed here only
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ type: "pkcs1", format: "pem" }) as string;
  const certificate = pki.createCertificate();
  certificate.publicKey = pki.publicKeyFromPem(publicKey.export({ type: "spki", format: "pem" }) as string);
  certificate.serialNumber = `0${randomBytes(16).toString("hex").slice(1)}`; // a leading zero bit keeps it positive
  certificate.validity.notBefore = new Date(Date.now() - 3_600_000);
  certificate.validity.notAfter = new Date(Date.now() + LIFE_DAYS * DAY_MS);
  const names = [{ name: "commonName", value: commonName }];
  certificate.setSubject(names);
  certificate.setIssuer(names);
  certificate.sign(pki.privateKeyFromPem(key), md.sha256.create());
  return { cert: pki.certificateToPem(certificate), key };
}
