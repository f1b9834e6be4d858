// Certificates and keys as files of a folder: `<name>.crt`, `<name>.key`, and the authority `ca` that signs them.
import { createPrivateKey, X509Certificate } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import {
  AGENT_CLIENT_USAGE,
  certificateBlocks,
  type KeyAndCertificate,
  MADE_MARK,
  makeCertificate,
  makeFolder,
  type Subject,
  type Usage,
} from "@orch/platform";
import { CliError } from "../../../process/cli-error";
import { fileFault } from "../../../process/file-fault";

export const AUTHORITY = "ca";
const [SERVER_AUTH, CLIENT_AUTH] = ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"];

export const pairPaths = (folder: string, name: string) => ({
  certificate: join(folder, `${name}.crt`),
  key: join(folder, `${name}.key`),
});

/** Returns the names of the certificates in a folder. @throws CliError for a folder that cannot be read */
export function namesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).flatMap((file) => (file.endsWith(".crt") ? [file.slice(0, -".crt".length)] : []));
    return names.sort();
  } catch (error) {
    throw new CliError(`${fileFault(error, folder)}: name the folder with the certificates, such as .orch/pki`);
  }
}

/** @throws CliError for a pair that is missing or does not match */
export function readPair(folder: string, name: string): KeyAndCertificate {
  const paths = pairPaths(folder, name);
  const [certificate, key] = [textOf(paths.certificate), textOf(paths.key)];
  if (!leafOf(certificate, paths.certificate).checkPrivateKey(keyOf(key, paths.key))) {
    throw new CliError(
      `${paths.certificate} and ${paths.key} do not belong together: the key is not the certificate's`,
    );
  }
  return { certificate, key };
}

function textOf(path: string): string {
  if (!existsSync(path)) throw new CliError(`${path} does not exist`);
  return readFileSync(path, "utf8");
}

/** Returns the first certificate of a text, which is that of the key. */
export function leafOf(text: string, path: string): X509Certificate {
  const [first] = certificateBlocks(text);
  if (first === undefined) throw new CliError(`${path} contains no certificate`);
  return new X509Certificate(first);
}

function keyOf(text: string, path: string) {
  try {
    return createPrivateKey(text);
  } catch (error) {
    throw new CliError(`${path} contains no key that can be read: ${(error as Error).message}`);
  }
}

/**
 * Makes the pair anew with the names, the groups and the uses of the former certificate.
 * @param keepsKey keeps the key, so that one file is replaced and a killed command leaves a matching pair
 */
export function renewed(
  pair: KeyAndCertificate,
  issuer: KeyAndCertificate,
  how: { readonly keepsKey: boolean; readonly nowMs: number },
) {
  const former = leafOf(pair.certificate, "certificate");
  return makeCertificate({
    ...{ subject: subjectOf(former), usage: usageOf(former), issuer, nowMs: how.nowMs },
    ...{ isMarked: former.raw.includes(MADE_MARK), kept: how.keepsKey ? pair.key : undefined },
  });
}

function subjectOf({ subject }: X509Certificate): Subject {
  const parts = subject
    .split("\n")
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
  const of = (type: string) => parts.flatMap(([key, value = ""]) => (key === type ? [value] : []));
  return { commonName: of("CN")[0] ?? "", organizations: of("O") };
}

export function usageOf(certificate: X509Certificate): Usage {
  const uses = certificate.keyUsage ?? [];
  const names = (certificate.subjectAltName ?? "")
    .split(", ")
    .flatMap((each) => each.replace(/^(DNS|IP Address):/, "") || []);
  if (uses.includes(AGENT_CLIENT_USAGE)) return { kind: "agentClient" };
  if (!uses.includes(SERVER_AUTH)) return { kind: "client" };
  return uses.includes(CLIENT_AUTH) ? { kind: "peer", names } : { kind: "server", names };
}

/** Returns the use of a certificate. */
export const usageIn = ({ certificate }: KeyAndCertificate): Usage["kind"] =>
  usageOf(leafOf(certificate, "certificate")).kind;

/** Writes a pair; a file that stays the same is left alone. A certificate never exists without its key. */
export function writePair(folder: string, name: string, { certificate, key }: KeyAndCertificate): void {
  makeFolder(folder, 0o700);
  const paths = pairPaths(folder, name);
  if (!existsSync(paths.key) || readFileSync(paths.key, "utf8") !== key) replaceFile(paths.key, key, 0o600);
  replaceFile(paths.certificate, certificate, 0o644);
}

/** Replaces a file, which keeps its mode, owner and group: the user of a server may read keys that root renews. */
export function replaceFile(path: string, text: string, mode: number): void {
  const draft = `${path}.new`;
  const former = statSync(path, { throwIfNoEntry: false });
  try {
    writeFileSync(draft, text, { mode, flush: true });
    if (former !== undefined) {
      if (process.getuid?.() === 0) chownSync(draft, former.uid, former.gid);
      chmodSync(draft, former.mode & 0o777);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
