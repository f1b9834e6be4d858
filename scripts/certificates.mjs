// Certificates for a fleet: one authority, and what it signs. RSA 2048, SHA-256, one year; existing files are kept.
//
//   node scripts/certificates.mjs DIR NAME [--cn NAME] [--o ORGANISATION]... [--host NAME-OR-ADDRESS]...
//   writes DIR/ca.crt, DIR/ca.key (once) and DIR/NAME.crt, DIR/NAME.key, good for serving and as a client.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import forge from "node-forge";

const DAY_MS = 86_400_000;
const LIFE_DAYS = 365;

/**
 * Makes `<directory>/<name>.crt` and `.key`, and the authority before it where there is none.
 * @param hosts names and addresses that the certificate serves; empty for clients only
 * @returns the paths of the certificate, its key and the authority's certificate
 */
export function issueCertificate(directory, { name, commonName = name, organizations = [], hosts = [] }) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const authority = openAuthority(directory);
  const files = { cert: join(directory, `${name}.crt`), key: join(directory, `${name}.key`), ca: authority.path };
  if (existsSync(files.cert)) return files;
  const subject = [
    { name: "commonName", value: commonName },
    ...organizations.map((value) => ({ name: "organizationName", value })),
  ];
  const extensions = [
    { name: "basicConstraints", cA: false, critical: true },
    { name: "keyUsage", digitalSignature: true, keyEncipherment: true, critical: true },
    { name: "extKeyUsage", serverAuth: true, clientAuth: true },
  ];
  if (hosts.length > 0) {
    const altNames = hosts.map((host) => (isIP(host) ? { type: 7, ip: host } : { type: 2, value: host }));
    extensions.push({ name: "subjectAltName", altNames });
  }
  writePair(files, { subject, issuer: authority.certificate.subject.attributes, extensions, signer: authority.key });
  return files;
}

function openAuthority(directory) {
  const files = { cert: join(directory, "ca.crt"), key: join(directory, "ca.key") };
  if (!existsSync(files.cert)) {
    const subject = [{ name: "commonName", value: "orch-ca" }];
    const extensions = [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, digitalSignature: true, critical: true },
    ];
    writePair(files, { subject, issuer: subject, extensions });
  }
  return {
    path: files.cert,
    certificate: forge.pki.certificateFromPem(readFileSync(files.cert, "utf8")),
    key: forge.pki.privateKeyFromPem(readFileSync(files.key, "utf8")),
  };
}

/** Without a signer the certificate signs itself. */
function writePair(files, { subject, issuer, extensions, signer }) {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyPem = privateKey.export({ type: "pkcs1", format: "pem" });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey.export({ type: "spki", format: "pem" }));
  // A leading zero bit keeps the serial number positive.
  certificate.serialNumber = `0${randomBytes(16).toString("hex").slice(1)}`;
  certificate.validity.notBefore = new Date(Date.now() - 300_000); // clocks of other machines may be behind
  certificate.validity.notAfter = new Date(Date.now() + LIFE_DAYS * DAY_MS);
  certificate.setSubject(subject);
  certificate.setIssuer(issuer);
  certificate.setExtensions(extensions);
  certificate.sign(signer ?? forge.pki.privateKeyFromPem(keyPem), forge.md.sha256.create());
  writeFileSync(files.key, keyPem, { mode: 0o600 });
  writeFileSync(files.cert, forge.pki.certificateToPem(certificate));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      cn: { type: "string" },
      o: { type: "string", multiple: true },
      host: { type: "string", multiple: true },
    },
  });
  const [directory, name] = positionals;
  if (directory === undefined || name === undefined) {
    console.error(
      "usage: node scripts/certificates.mjs DIR NAME [--cn NAME] [--o ORGANISATION]... [--host NAME-OR-ADDRESS]...",
    );
    process.exit(1);
  }
  const { cn, o, host } = values;
  issueCertificate(directory, { name, commonName: cn ?? name, organizations: o ?? [], hosts: host ?? [] });
}
