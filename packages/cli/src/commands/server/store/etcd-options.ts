// etcd endpoints and certificates as options, with the names that etcdctl has.
import { readFileSync } from "node:fs";
import type { Store } from "@orch/store";
import type { Command } from "commander";
import type { Etcd3 } from "etcd3";
import { CliError } from "../../../process/cli-error";
import { fileFault } from "../../../process/file-fault";

export interface EtcdOptions {
  readonly endpoints?: string;
  readonly cacert?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly config?: string;
}

export function addEtcdOptions(command: Command): Command {
  return command
    .option("--endpoints <urls>", "client URLs of etcd, separated by commas (default: those of the server)")
    .option("--cacert <file>", "authority of etcd's certificates")
    .option("--cert <file>", "client certificate for etcd")
    .option("--key <file>", "key of the client certificate for etcd")
    .option("--config <file>", "find etcd in this file with flags of the API server");
}

/** Returns the URLs of the endpoints, which default to https with certificates. @throws CliError */
export function endpointsIn({ endpoints = "", cacert, cert }: EtcdOptions): readonly string[] {
  const scheme = cacert === undefined && cert === undefined ? "http" : "https";
  return endpoints
    .split(",")
    .filter((each) => each !== "")
    .map((each) => {
      const url = each.includes("://") ? each : `${scheme}://${each}`;
      if (/^https?:\/\/[^/]/.test(url) && URL.canParse(url)) return new URL(url).origin;
      throw new CliError(
        `--endpoints: ${JSON.stringify(each)} is not a URL: use http://HOST:PORT or https://HOST:PORT`,
      );
    });
}

const CALL_TIMEOUT_MS = 10_000;

/** Opens a client of one endpoint. @throws CliError for files that cannot be read */
export function etcdClient(endpoint: string, options: EtcdOptions): Etcd3 {
  if ((options.cert === undefined) !== (options.key === undefined)) {
    throw new CliError("--cert and --key must be given together");
  }
  const { Etcd3: Client } = require("etcd3") as typeof import("etcd3");
  const secure = endpoint.startsWith("https:");
  const file = (option: "cacert" | "cert" | "key") => {
    const path = options[option];
    if (path === undefined) return undefined;
    try {
      return readFileSync(path);
    } catch (error) {
      throw new CliError(`--${option}: ${fileFault(error, path)}`);
    }
  };
  const [rootCertificate, certChain, privateKey] = [file("cacert"), file("cert"), file("key")];
  return new Client({
    hosts: endpoint,
    // Only transient failures are worth another try, and a person is waiting.
    dialTimeout: CALL_TIMEOUT_MS,
    ...(secure && {
      credentials: {
        rootCertificate: rootCertificate as Buffer,
        ...(certChain !== undefined && privateKey !== undefined && { certChain, privateKey }),
      },
    }),
  });
}

/** Opens the store of one endpoint, for its snapshot. @throws CliError */
export function etcdStore(endpoint: string, { cacert, cert, key }: EtcdOptions): Promise<Store> {
  if ((cert === undefined) !== (key === undefined)) throw new CliError("--cert and --key must be given together");
  const { openStore } = require("@orch/store") as typeof import("@orch/store");
  const tls = {
    ...(cacert !== undefined && { caFile: cacert }),
    ...(cert !== undefined && key !== undefined && { certFile: cert, keyFile: key }),
  };
  return openStore({ kind: "etcd", endpoints: [endpoint], tls });
}

/** Returns options of a call that is over soon. The library takes a time of day. */
export const soon = () => ({ deadline: performance.timeOrigin + performance.now() + CALL_TIMEOUT_MS });

/** Converts a failure of a call. */
export function etcdError(endpoint: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const text = (error as Error).message.replace(/^\d+ [A-Z_]+: /, "").replace(/^Error: | Resolution note: .*$/g, "");
  return new CliError(`etcd at ${endpoint}: ${text}`);
}
