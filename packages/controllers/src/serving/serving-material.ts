// The certificates that the program shows, by the names that clients ask for; read again when their files change.
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Server, ServerOptions } from "node:https";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import {
  type KeyAndCertificate,
  type Log,
  makeCertificate,
  openSslSuites,
  readCertificates,
  readKeyOf,
  tlsVersion,
  watchFiles,
} from "@orch/platform";
import type { ServingConfig } from "./serving-flags";

interface PairFiles {
  readonly certificate: string;
  readonly key: string;
  /** Empty: those of the certificate. */
  readonly names: readonly string[];
}

/** @param name of the program @throws Error that names the option, for a file or a value that cannot be used */
export function servingOptions(config: ServingConfig, name: string): ServerOptions {
  const ciphers = openSslSuites(config["tls-cipher-suites"]);
  return {
    ...ownPair(config, name),
    minVersion: tlsVersion(config["tls-min-version"]),
    ...(ciphers === undefined ? {} : { ciphers }),
  };
}

/** Shows the further pairs of the options too, and all as their files are now. @throws as `servingOptions` @returns stops */
export function followMaterial(server: Server, config: ServingConfig, log: Log): () => void {
  const further = config["tls-sni-cert-key"].map(pairFilesIn);
  for (const files of further) addContext(server, files);
  const own = config["tls-cert-file"] === "" ? [] : [config["tls-cert-file"], config["tls-private-key-file"]];
  const reload = (change: () => void) => () => {
    try {
      change();
      log.info("a serving certificate has changed and is shown");
    } catch (error) {
      log.error("a serving certificate has changed and cannot be used", { error: (error as Error).message });
    }
  };
  const stops = further.map((files) =>
    watchFiles(
      [files.certificate, files.key],
      reload(() => addContext(server, files)),
    ),
  );
  if (own.length > 0)
    stops.push(
      watchFiles(
        own,
        reload(() => server.setSecureContext(readPair(config))),
      ),
    );
  return () => {
    for (const stop of stops) stop();
  };
}

function ownPair(config: ServingConfig, name: string): { readonly cert: string; readonly key: string } {
  if (config["tls-cert-file"] !== "") return readPair(config);
  const folder = config["cert-dir"];
  if (folder === "") return pairOf(selfSigned(name));
  const [certificate, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  if (existsSync(certificate) && existsSync(key)) {
    const cert = readCertificates("cert-dir", certificate);
    return { cert, key: readKeyOf(cert, "cert-dir", key) };
  }
  const made = selfSigned(name);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(key, made.key, { mode: 0o600 });
    writeFileSync(certificate, made.certificate);
  } catch (error) {
    throw new Error(`--cert-dir: ${(error as Error).message}`, { cause: error });
  }
  return pairOf(made);
}

const pairOf = ({ certificate, key }: KeyAndCertificate) => ({ cert: certificate, key });

/** Who reads what is served so must not check it. */
function selfSigned(commonName: string): KeyAndCertificate {
  return makeCertificate({ subject: { commonName }, usage: { kind: "server", names: [] }, nowMs: Date.now() });
}

function readPair(config: ServingConfig): { readonly cert: string; readonly key: string } {
  const cert = readCertificates("tls-cert-file", config["tls-cert-file"]);
  return { cert, key: readKeyOf(cert, "tls-private-key-file", config["tls-private-key-file"]) };
}

const SNI = "tls-sni-cert-key";

/** @param text `certificate,key[:name,name]` */
function pairFilesIn(text: string): PairFiles {
  const [files = "", names = ""] = text.split(/:(.*)/s);
  const [certificate = "", key = "", ...more] = files.split(",");
  if (certificate === "" || key === "" || more.length > 0)
    throw new Error(`--${SNI}: ${JSON.stringify(text)} is not certificate,key[:name,name]`);
  return { certificate, key, names: names.split(",").filter((name) => name !== "") };
}

/** The latest of a name counts. */
function addContext(server: Server, { certificate, key, names }: PairFiles): void {
  const cert = readCertificates(SNI, certificate);
  const context = createSecureContext({ cert, key: readKeyOf(cert, SNI, key) });
  for (const name of names.length > 0 ? names : namesIn(readFileSync(certificate, "utf8"))) {
    server.addContext(name, context);
  }
}

function namesIn(pem: string): readonly string[] {
  const named = new X509Certificate(pem).subjectAltName ?? "";
  return named.split(", ").flatMap((each) => (each.startsWith("DNS:") ? [each.slice(4)] : []));
}
