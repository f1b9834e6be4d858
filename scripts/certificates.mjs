// Issues certificates for a fleet from one certificate authority, with the code that the API server uses for its own
// certificates. Existing files are kept.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import platform from "../packages/platform/dist/index.js";
import { isProgram, readCommandLine } from "./command-line.mjs";

const AUTHORITY = { commonName: "orch-ca" };

/**
 * Writes `<directory>/<name>.crt` and `.key`. Creates the certificate authority when it does not exist.
 * @param hosts DNS names and IP addresses of a serving certificate; empty for a client-only certificate
 * @param forAgents whether API servers present it to node agents; API servers do not accept it from their own clients
 * @returns paths of the certificate, its key, and the certificate and key of the authority
 */
export function issueCertificate(
  directory,
  { name, commonName = name, organizations = [], hosts = [], forAgents = false },
) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const authority = filesOf(directory, "ca");
  const files = filesOf(directory, name);
  if (!existsSync(authority.cert)) write(authority, make(AUTHORITY, { kind: "authority" }));
  if (!existsSync(files.cert)) {
    const issuer = { certificate: readFileSync(authority.cert, "utf8"), key: readFileSync(authority.key, "utf8") };
    const usage = forAgents ? { kind: "agentClient" } : { kind: "peer", names: hosts };
    write(files, make({ commonName, organizations }, usage, issuer));
  }
  return { ...files, ca: authority.cert, caKey: authority.key };
}

const make = (subject, usage, issuer) => platform.makeCertificate({ subject, usage, issuer, nowMs: Date.now() });

const filesOf = (directory, name) => ({ cert: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) });

/** Writes the key before the certificate, so that a certificate file never exists without its key. */
function write({ cert, key }, pair) {
  writeFileSync(key, pair.key, { mode: 0o600 });
  writeFileSync(`${cert}.new`, pair.certificate);
  renameSync(`${cert}.new`, cert);
}

const USAGE = `Creates NAME.crt and NAME.key in DIR, for a server and for a client. Creates ca.crt and ca.key first when they are missing.

Usage: node scripts/certificates.mjs DIR NAME [options]

  --cn NAME               common name, which is the user name of a client (default NAME)
  --o GROUP               organization, which is a group of the user; may be repeated
  --host NAME-OR-ADDRESS  DNS name or IP address of the server; may be repeated
  --agent-client          certificate that an API server presents to kubelets; no API server accepts it from a client
  --help                  print this text`;

if (isProgram(import.meta.url)) {
  const { values, positionals } = readCommandLine(USAGE, {
    allowPositionals: true,
    options: {
      cn: { type: "string" },
      o: { type: "string", multiple: true },
      host: { type: "string", multiple: true },
      "agent-client": { type: "boolean" },
    },
    check: ({ positionals }) => (positionals.length === 2 ? undefined : "DIR and NAME are needed"),
  });
  const [directory, name] = positionals;
  const { cn, o, host, "agent-client": forAgents } = values;
  issueCertificate(directory, {
    name,
    commonName: cn ?? name,
    organizations: o ?? [],
    hosts: host ?? [],
    forAgents: forAgents ?? false,
  });
}
