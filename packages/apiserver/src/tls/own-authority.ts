// The server's own authority and what it signs: in memory for servers inside tests, or in a folder that is filled at first start.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { PRIVILEGED_GROUP } from "@orch/auth";
import type { KeyAndCertificate, Subject, Usage } from "./certificate-material";

export interface OwnAuthority {
  readonly ca: KeyAndCertificate;
  readonly serving: KeyAndCertificate;
  /** A client certificate in the group that may do everything. */
  readonly admin: KeyAndCertificate;
}

export const ADMIN_USER = "admin";
const CA_NAME = "apiserver-ca";
const SERVING_NAME = "apiserver";
/** Renewed at a start that finds less time than this left. */
const RENEW_BEFORE_MS = 30 * 86_400_000;

export function makeAuthority(names: readonly string[]): OwnAuthority {
  const ca = make({ commonName: CA_NAME }, { kind: "authority" });
  return {
    ca,
    serving: make({ commonName: SERVING_NAME }, { kind: "server", names }, ca),
    admin: makeClient(ca, { commonName: ADMIN_USER, organizations: [PRIVILEGED_GROUP] }),
  };
}

/** A certificate that the server takes for this user. */
export function makeClient(ca: KeyAndCertificate, subject: Subject): KeyAndCertificate {
  return make(subject, { kind: "client" }, ca);
}

/** Reads what a folder has, and makes what is missing, about to expire, or for other names. Keys are readable by their owner only. */
export function openAuthority(folder: string, names: readonly string[]): OwnAuthority {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const ca = kept(
    folder,
    "ca",
    () => true,
    () => make({ commonName: CA_NAME }, { kind: "authority" }),
  );
  const bySame = ({ certificate }: KeyAndCertificate) => isSignedBy(certificate, ca.certificate);
  const serves = (pair: KeyAndCertificate) => bySame(pair) && names.every((name) => isFor(pair.certificate, name));
  return {
    ca,
    serving: kept(folder, "apiserver", serves, () => make({ commonName: SERVING_NAME }, { kind: "server", names }, ca)),
    admin: kept(folder, "admin", bySame, () =>
      makeClient(ca, { commonName: ADMIN_USER, organizations: [PRIVILEGED_GROUP] }),
    ),
  };
}

/** A client certificate kept in the folder of the authority that signs it. @param of.file names it there */
export function openClient(
  folder: string,
  ca: KeyAndCertificate,
  of: { readonly file: string; readonly commonName: string },
): KeyAndCertificate {
  const fits = ({ certificate }: KeyAndCertificate) =>
    isSignedBy(certificate, ca.certificate) &&
    new X509Certificate(certificate).subject.split("\n").includes(`CN=${of.commonName}`);
  return kept(folder, of.file, fits, () => makeClient(ca, { commonName: of.commonName }));
}

function make(subject: Subject, usage: Usage, issuer?: KeyAndCertificate): KeyAndCertificate {
  // Loaded here, for most starts of a program find their certificates made.
  const { makeCertificate } = require("./certificate-material") as typeof import("./certificate-material");
  return makeCertificate(subject, usage, issuer, Date.now());
}

function kept(
  folder: string,
  name: string,
  fits: (pair: KeyAndCertificate) => boolean,
  makeNew: () => KeyAndCertificate,
): KeyAndCertificate {
  const files = { certificate: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  if (existsSync(files.certificate) && existsSync(files.key)) {
    const pair = { certificate: readFileSync(files.certificate, "utf8"), key: readFileSync(files.key, "utf8") };
    if (isUsable(pair, files) && fits(pair)) return pair;
  }
  const pair = makeNew();
  writeWhole(files.key, pair.key, 0o600);
  writeWhole(files.certificate, pair.certificate, 0o644);
  return pair;
}

/** Not one that expires soon, nor the two halves that a process killed between them leaves. @throws Error for a damaged file */
function isUsable(pair: KeyAndCertificate, files: { readonly certificate: string; readonly key: string }): boolean {
  const certificate = readable(files.certificate, () => new X509Certificate(pair.certificate));
  const key = readable(files.key, () => createPrivateKey(pair.key));
  return certificate.checkPrivateKey(key) && Date.parse(certificate.validTo) - Date.now() > RENEW_BEFORE_MS;
}

function readable<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file} is damaged; a new one is made where there is none`, { cause: error });
  }
}

/** Never half of it, whenever the process is killed. */
function writeWhole(file: string, text: string, mode: number): void {
  writeFileSync(`${file}.new`, text, { mode });
  renameSync(`${file}.new`, file);
}

function isSignedBy(certificate: string, authority: string): boolean {
  return new X509Certificate(certificate).verify(new X509Certificate(authority).publicKey);
}

function isFor(certificate: string, name: string): boolean {
  const parsed = new X509Certificate(certificate);
  return (isIP(name) === 0 ? parsed.checkHost(name) : parsed.checkIP(name)) !== undefined;
}
