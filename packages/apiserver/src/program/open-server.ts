// The server that the options describe: its store, its certificates, its metrics.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Vocabulary } from "@orch/schema";
import { openStore, type Store, type StoreOptions, type TlsFiles } from "@orch/store";
import type { ServerConfig } from "../flags/server-flags";
import type { Settings } from "../flags/settings";
import type { Logger } from "../logging/logger";
import type { BucketSeries } from "../metrics/bucket-histogram";
import { ServerMetrics } from "../metrics/server-metrics";
import { ApiServer } from "../server/api-server";
import { kubeconfigText } from "../server/kubeconfig";
import type { KeyAndCertificate } from "../tls/certificate-material";
import { ADMIN_USER, type OwnAuthority, openAuthority, openClient } from "../tls/own-authority";
import { isUnspecified, servingNames } from "../tls/serving-names";
import { ServingTls } from "../tls/serving-tls";
import { storeFolder } from "./store-commands";

export interface OpenServerOptions {
  readonly config: ServerConfig;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
}

export interface OpenedServer {
  readonly server: ApiServer;
  readonly stopping: boolean;
  /** What to try next, for a person. Writes the operator's client configuration file where the server has an authority. */
  welcome(): string;
  /**
   * Writes the client configuration file of the controller manager.
   * @returns its path; undefined where the server has no authority
   */
  writeManagerKubeconfig(): string | undefined;
  /** Stopped before the server. */
  accompany(companion: { stop(): Promise<void> }): void;
  stop(): Promise<void>;
}

/** @throws Error for a store or a file that cannot be opened */
export async function openServer({ config, settings, vocabulary, logger }: OpenServerOptions): Promise<OpenedServer> {
  const metrics = new ServerMetrics({
    disabled: config["disabled-metrics"],
    allowedLabels: settings.allowedLabels,
    process: true,
    release: settings.release,
    showHidden: config["show-hidden-metrics-for-version"] !== "",
    warn: (text) => logger.warn(text),
  });
  const authority = config["tls-cert-file"] === "" ? ownAuthority(config, vocabulary) : undefined;
  const tls = new ServingTls({ config, authority, logger });
  tls.material();
  const store = await openStore(storeOptions(config, settings, metrics));
  const server = new ApiServer({ config, settings, vocabulary, store, tls, logger, metrics });
  let stopping = false;
  const companions: { stop(): Promise<void> }[] = [];
  return {
    server,
    get stopping() {
      return stopping;
    },
    welcome: () => (authority === undefined ? "" : welcomeText(server, authority, config, vocabulary)),
    writeManagerKubeconfig: () =>
      authority === undefined ? undefined : managerKubeconfig(server, authority, config, vocabulary),
    accompany(companion) {
      if (stopping) void companion.stop();
      else companions.push(companion);
    },
    async stop() {
      stopping = true;
      await Promise.all(companions.map((companion) => companion.stop()));
      await server.stop();
      await (store as Store).close();
    },
  };
}

function ownAuthority(config: ServerConfig, vocabulary: Vocabulary): OwnAuthority {
  const names = servingNames({
    vocabulary,
    bindAddress: config["bind-address"],
    advertiseAddress: config["advertise-address"],
    externalHostname: config["external-hostname"],
  });
  const option = config["cert-dir"] === "" ? "data-dir" : "cert-dir";
  return named(option, () => openAuthority(pkiFolder(config), names));
}

/** @throws Error that names the option which something failed for */
function named<T>(option: keyof ServerConfig, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new Error(`--${option}: ${(error as Error).message}`, { cause: error });
  }
}

const pkiFolder = (config: ServerConfig): string => config["cert-dir"] || join(config["data-dir"], "pki");

function storeOptions(config: ServerConfig, settings: Settings, metrics: ServerMetrics): StoreOptions {
  switch (settings.store) {
    case "memory":
      return { kind: "memory" };
    case "embedded": {
      named("data-dir", () => mkdirSync(config["data-dir"], { recursive: true }));
      return { kind: "embedded", directory: storeFolder(config["data-dir"]) };
    }
    case "etcd": {
      const seconds = metrics.histogram("etcd_request_duration_seconds");
      const byOperation = new Map<string, BucketSeries>();
      return {
        kind: "etcd",
        endpoints: config["etcd-servers"],
        ...etcdTls(config),
        onCall: (operation, tookSeconds) => {
          let series = byOperation.get(operation);
          if (series === undefined) {
            series = seconds.labels({ operation, type: "" });
            byOperation.set(operation, series);
          }
          series.observe(tookSeconds);
        },
      };
    }
  }
}

function etcdTls(config: ServerConfig): { readonly tls?: TlsFiles } {
  const [caFile, certFile, keyFile] = [config["etcd-cafile"], config["etcd-certfile"], config["etcd-keyfile"]];
  if (caFile === "" && certFile === "") return {};
  return { tls: { ...(caFile === "" ? {} : { caFile }), ...(certFile === "" ? {} : { certFile, keyFile }) } };
}

function welcomeText(server: ApiServer, authority: OwnAuthority, config: ServerConfig, vocabulary: Vocabulary): string {
  const url = urlOf(server, config);
  const of = { user: ADMIN_USER, credentials: authority.admin };
  const file = writeKubeconfig("admin", of, { url, ca: authority.ca.certificate, config, vocabulary });
  const pki = relative(process.cwd(), pkiFolder(config));
  const curl = `curl --cacert ${pki}/ca.crt --cert ${pki}/admin.crt --key ${pki}/admin.key`;
  return `
Serving on ${url}. The operator's client configuration: ${relative(process.cwd(), file)}

Try:
  ${curl} ${url}/api/v1/namespaces
  ${curl} ${url}/api/v1/namespaces/default/configmaps \\
    -H 'Content-Type: application/json' \\
    -d '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"hello"},"data":{"greeting":"hi"}}'
  ${curl} -N "${url}/api/v1/namespaces/default/configmaps?watch=1"

`;
}

function managerKubeconfig(
  server: ApiServer,
  { ca }: OwnAuthority,
  config: ServerConfig,
  vocabulary: Vocabulary,
): string {
  const user = vocabulary.users.controllerManager;
  const credentials = openClient(pkiFolder(config), ca, { file: "controller-manager", commonName: user });
  const of = { url: urlOf(server, config), ca: ca.certificate, config, vocabulary };
  return writeKubeconfig("controller-manager", { user, credentials }, of);
}

function urlOf(server: ApiServer, config: ServerConfig): string {
  const host = isUnspecified(config["bind-address"]) ? "127.0.0.1" : config["bind-address"];
  return `https://${host.includes(":") ? `[${host}]` : host}:${server.port}`;
}

/** @returns the file's path */
function writeKubeconfig(
  file: string,
  of: { readonly user: string; readonly credentials: KeyAndCertificate },
  at: { readonly url: string; readonly ca: string; readonly config: ServerConfig; readonly vocabulary: Vocabulary },
): string {
  const path = resolve(at.config["data-dir"], `${file}.kubeconfig`);
  const text = kubeconfigText({ url: at.url, ca: at.ca, ...of, name: at.vocabulary.objectNames.product });
  mkdirSync(at.config["data-dir"], { recursive: true });
  writeWhole(path, text);
  return path;
}

/** A file that is as it should be is not touched: on a full disk only its old content would go. */
function writeWhole(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  const unfinished = `${path}.unfinished`;
  writeFileSync(unfinished, text, { mode: 0o600 });
  renameSync(unfinished, path);
}
