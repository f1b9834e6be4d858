// Serving certificates of the program, selected by server name and reloaded when their files change.
import { existsSync, writeFileSync } from "node:fs";
import type { Server, ServerOptions } from "node:https";
import { join } from "node:path";
import {
  type KeyAndCertificate,
  type Log,
  makeCertificate,
  makeFolder,
  NamedContexts,
  openSslSuites,
  pairFilesIn,
  readCertificates,
  readKeyOf,
  readNamedPair,
  tlsVersion,
  watchFiles,
} from "@orch/platform";
import type { ServingConfig } from "./serving-flags";

const SNI = "tls-sni-cert-key";

/** TLS options of the server, and the reloading of its certificates. */
export interface ServingMaterial {
  readonly options: ServerOptions;
  /**
   * Serves all pairs from their current files.
   * @returns stops the reloading
   */
  follow(server: Server, log: Log): () => void;
}

/**
 * @param name name of the program
 * @throws Error naming the option, for an unusable file or value
 */
export function openMaterial(config: ServingConfig, name: string): ServingMaterial {
  const ciphers = openSslSuites(config["tls-cipher-suites"]);
  const further = config[SNI].map((text) => pairFilesIn(SNI, text));
  const readContexts = () => new NamedContexts(further.map((files) => readNamedPair(SNI, files)));
  let contexts = readContexts();
  const options: ServerOptions = {
    ...ownPair(config, name),
    minVersion: tlsVersion(config["tls-min-version"]),
    ...(ciphers === undefined ? {} : { ciphers }),
    ...(further.length > 0 && { SNICallback: (asked, answer) => answer(null, contexts.find(asked)) }),
  };
  return {
    options,
    follow(server, log) {
      const reload = (change: () => void) => () => {
        try {
          change();
          log.info("reloaded a serving certificate");
        } catch (error) {
          log.error("a changed serving certificate is invalid", { error: (error as Error).message });
        }
      };
      const stops: (() => void)[] = [];
      if (config["tls-cert-file"] !== "") {
        const own = [config["tls-cert-file"], config["tls-private-key-file"]];
        stops.push(
          watchFiles(
            own,
            reload(() => server.setSecureContext(readPair(config))),
          ),
        );
      }
      for (const { certificate, key } of further) {
        stops.push(
          watchFiles(
            [certificate, key],
            reload(() => {
              contexts = readContexts();
            }),
          ),
        );
      }
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function ownPair(config: ServingConfig, name: string): { readonly cert: string; readonly key: string } {
  if (config["tls-cert-file"] !== "") return readPair(config);
  const folder = config["cert-dir"];
  if (folder === "") return pairOf(selfSigned(name));
  const [certificate, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  const [hasCertificate, hasKey] = [existsSync(certificate), existsSync(key)];
  if (hasCertificate !== hasKey) {
    const [missing, other] = hasKey ? [certificate, key] : [key, certificate];
    throw new Error(
      `--cert-dir: ${missing} is missing although ${other} exists: the directory must contain both the certificate and its key`,
    );
  }
  if (hasCertificate) {
    const cert = readCertificates("cert-dir", certificate);
    return { cert, key: readKeyOf(cert, "cert-dir", key) };
  }
  const made = selfSigned(name);
  try {
    makeFolder(folder);
    writeFileSync(key, made.key, { mode: 0o600 });
    writeFileSync(certificate, made.certificate);
  } catch (error) {
    throw new Error(`--cert-dir: ${(error as Error).message}`, { cause: error });
  }
  return pairOf(made);
}

const pairOf = ({ certificate, key }: KeyAndCertificate) => ({ cert: certificate, key });

/** Creates a self-signed certificate. Clients cannot verify it. */
function selfSigned(commonName: string): KeyAndCertificate {
  return makeCertificate({ subject: { commonName }, usage: { kind: "server", names: [] }, nowMs: Date.now() });
}

function readPair(config: ServingConfig): { readonly cert: string; readonly key: string } {
  const cert = readCertificates("tls-cert-file", config["tls-cert-file"]);
  return { cert, key: readKeyOf(cert, "tls-private-key-file", config["tls-private-key-file"]) };
}
