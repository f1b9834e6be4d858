// Whom this machine trusts: the run time itself comes with authorities of its own, and does not look.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where systems keep them, the first that is there. */
const FILES = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/tls/cacert.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * PEM of the system's authorities; undefined where it has none, and the run time's own are to do.
 * @param environment `SSL_CERT_FILE` names another file, `SSL_CERT_DIR` folders (by colons) whose files count too
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
