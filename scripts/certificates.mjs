// Certificates for a fleet: one authority, and what it signs, made as the API server makes its own. Existing files are kept.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import platform from "../packages/platform/dist/index.js";
import { readCommandLine } from "./command-line.mjs";

const AUTHORITY = { commonName: "orch-ca" };

/**
 * Makes `<directory>/<name>.crt` and `.key`, and the authority before it where there is none.
 * @param hosts names and addresses that the certificate serves; empty for clients only
 * @param forAgents whether it is what API servers show to node agents: API servers refuse it as a client of their own
 * @returns the paths of the certificate, its key, and the authority's certificate and key
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

/** The certificate last: where there is one, its key is there. */
function write({ cert, key }, pair) {
  writeFileSync(key, pair.key, { mode: 0o600 });
  writeFileSync(`${cert}.new`, pair.certificate);
  renameSync(`${cert}.new`, cert);
}

const USAGE = `Makes NAME.crt and NAME.key in DIR, good for serving and as a client, and ca.crt and ca.key where there are none.

Usage: node scripts/certificates.mjs DIR NAME [options]

  --cn NAME               common name: the user of a client's certificate (default NAME)
  --o GROUP               organization: a group of that user; may be repeated
  --host NAME-OR-ADDRESS  what a server's certificate holds for; may be repeated
  --agent-client          for API servers to show to node agents: no API server takes it as a client
  --help                  this text`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
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
