// Certificate authorities trusted by the machine. Node.js uses a bundled list instead.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Common paths; the first existing file is used. */
const FILES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * Returns the PEM of the system's certificate authorities; undefined when there are none, and those of Node.js apply.
 * @param environment `SSL_CERT_FILE` names another file, `SSL_CERT_DIR` further folders, separated by colons
 */
export function systemRoots(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const { SSL_CERT_FILE, SSL_CERT_DIR } = environment;
  const file = first(SSL_CERT_FILE ? [SSL_CERT_FILE] : FILES);
  const folders = (SSL_CERT_DIR ?? "").split(":").filter((each) => each !== "");
  const found = [file, ...folders.flatMap(filesOf).map(textOf)].filter((text) => text?.includes("-----BEGIN"));
  return found.length === 0 ? undefined : found.join("\n");
}

function first(paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = textOf(path);
    if (text !== undefined) return text;
  }
  return undefined;
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
