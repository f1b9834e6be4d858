// Opens the server that the options describe: its store, its certificates and its metrics.
import { join, relative, resolve } from "node:path";
import {
  type ApiServer,
  type ClientMaterial,
  type KubeconfigOf,
  kubeconfigText,
  type Logger,
  openApiServer,
  type ServerMetrics,
  type StoreParts,
} from "@orch/apiserver";
import { AGENT_CLIENTS_GROUP } from "@orch/auth";
import {
  ADMIN_USER,
  advertisedAddress,
  EtcdFiles,
  isUnspecified,
  openSelfSignedCa,
  type SelfSignedCa,
  type StoredKey,
  servingNames,
  storedAccountKey,
  writeFileAtomically,
} from "@orch/http-server";
import {
  type Clock,
  type EndReason,
  type GroupMember,
  makeFolder,
  type QueueMetrics,
  systemClock,
} from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { ServerConfig, Settings } from "@orch/server-config";
import { ETCD_TRANSPORTS, openStore, type Store, type StoreOptions } from "@orch/store";
import { explorerAccess } from "./explorer-access";
import { reportUnwrittenFile, unlessDiskIsFull } from "./file-for-others";
import { openBackups } from "./open-backups";
import type { StartupMessage } from "./startup-message";
import { storeFolder } from "./store-commands";

export interface OpenServerOptions {
  readonly config: ServerConfig;
  readonly settings: Settings;
  readonly vocabulary: Vocabulary;
  readonly logger: Logger;
  /** Clock for certificate validity and renewal. Default: the system clock. */
  readonly clock?: Clock;
  /** Membership in a group of workers. Default: the only process. */
  readonly group?: GroupMember | undefined;
}

export interface OpenedServer {
  readonly server: ApiServer;
  readonly stopping: boolean;
  /** PEM file of the key that signs service account tokens; undefined when the server signs none. */
  readonly accountKeyFile: string | undefined;
  /** Undefined when the server has no authority of its own. */
  readonly authorityFiles: AuthorityFiles | undefined;
  /** URL for clients on other machines. */
  publicUrl(): string;
  /**
   * Returns the startup message. Writes the operator's kubeconfig, when the server has an authority of its own, and the
   * explorer link.
   */
  startupMessage(): StartupMessage;
  /**
   * Writes the kubeconfig of the controller manager.
   * @returns its path; undefined when the server has no authority of its own, or the disk is full
   */
  writeManagerKubeconfig(): string | undefined;
  /** Metrics of this worker, for the other workers. */
  snapshot(): Promise<readonly string[]>;
  /** Returns metrics of this server for a work queue in its process. */
  readonly queueMetrics: (queue: string) => QueueMetrics;
  /** Starts the scheduled backups, if there are any. Called once in a group of workers. */
  startBackups(): void;
  /** Registers a companion, which is stopped before the server. */
  accompany(companion: { stop(): Promise<void> }): void;
  stop(why?: EndReason): Promise<void>;
}

/** Paths of PEM files. */
export interface AuthorityFiles {
  readonly certificate: string;
  readonly key: string;
}

/** @throws Error for a store or a file that cannot be opened */
export async function openServer(options: OpenServerOptions): Promise<OpenedServer> {
  const { config, settings, vocabulary, logger, clock = systemClock, group } = options;
  const authority = config["tls-cert-file"] === "" ? selfSignedCa(options, clock) : undefined;
  let explorer: ReturnType<typeof explorerAccess>;
  let accountKey: StoredKey | undefined;
  let stored: Store | undefined;
  const { server, metrics, queueMetrics, tls, close } = await openApiServer({
    ...{ config, settings, vocabulary, logger, authority, clock, group },
    ownsProcess: true,
    async openStores(parts) {
      const stores = await openStores(options, parts);
      stored = stores.store;
      return stores;
    },
    credentials() {
      explorer = explorerAccess({ config, logger }, group?.identity.secret);
      accountKey = ownAccountKey(config, settings);
      const known = authority === undefined ? config : knownToAgents(options, authority);
      return { config: known, accountKey: accountKey?.pem, localToken: explorer?.localToken };
    },
  });
  const backups = stored && openBackups({ config, store: stored, logger, metrics, clock });
  let ending: Promise<void> | undefined;
  const companions: { stop(): Promise<void> }[] = [];
  const end = async (why: EndReason | undefined): Promise<void> => {
    await companionsEnd(companions, { server, logger });
    await server.stop(why);
    await group?.last(await metrics.snapshot());
    await close();
  };
  return {
    server,
    accountKeyFile: config["service-account-signing-key-file"] || accountKey?.file,
    authorityFiles: authority && {
      certificate: join(pkiFolder(config), "ca.crt"),
      key: join(pkiFolder(config), "ca.key"),
    },
    get stopping() {
      return ending !== undefined;
    },
    publicUrl: () => urlAt(config["external-hostname"] || advertised(config), server.port),
    startupMessage() {
      const url = urlOf(server, config);
      const link = explorer?.publish(url);
      const shown = link && { ...link, file: link.file && fromHere(link.file) };
      if (authority === undefined) return { url, kubeconfig: undefined, explorer: shown, tries: [] };
      const write = () => operatorKubeconfig(server, authority, config, vocabulary);
      tls.onRenewal(write);
      const written = unlessDiskIsFull({ logger, option: "data-dir" }, write);
      return {
        url,
        kubeconfig: written && fromHere(written),
        explorer: shown,
        tries: triesOf(written, { url, config, vocabulary }),
      };
    },
    writeManagerKubeconfig: () =>
      authority &&
      unlessDiskIsFull({ logger, option: "data-dir" }, () => managerKubeconfig(server, authority, config, vocabulary)),
    snapshot: () => metrics.snapshot(),
    queueMetrics,
    startBackups() {
      if (backups === undefined || ending !== undefined) return;
      backups.start();
      companions.push(backups);
    },
    accompany(companion) {
      if (ending !== undefined) void companion.stop();
      else companions.push(companion);
    },
    stop(why) {
      if (why !== "replaced") explorer?.end();
      ending ??= end(why);
      return ending;
    },
  };
}

/**
 * Time for companions to stop, which usually includes releasing leases. They are clients of the server and need its
 * store for that.
 */
const COMPANIONS_END_MS = 10_000;
const COMPANIONS_END_WITHOUT_STORE_MS = 1_000;

async function companionsEnd(
  companions: readonly { stop(): Promise<void> }[],
  { server, logger }: { readonly server: ApiServer; readonly logger: Logger },
): Promise<void> {
  if (companions.length === 0) return;
  const boundMs = server.hasLostStore ? COMPANIONS_END_WITHOUT_STORE_MS : COMPANIONS_END_MS;
  const ended = Promise.all(companions.map((companion) => companion.stop())).then(() => true);
  const isDone = await Promise.race([
    ended,
    new Promise<false>((resolve) => setTimeout(resolve, boundMs, false).unref()),
  ]);
  if (!isDone) logger.warn("background tasks did not end in time", { milliseconds: boundMs });
}

function selfSignedCa({ config, vocabulary, logger }: OpenServerOptions, clock: Clock): SelfSignedCa {
  const names = servingNames({
    vocabulary,
    bindAddress: config["bind-address"],
    advertiseAddress: config["advertise-address"],
    externalHostname: config["external-hostname"],
  });
  const option = pkiOption(config);
  const notKept = (name: string, error: unknown) => reportUnwrittenFile({ logger, option }, error, `${name}.crt`);
  const warn = (text: string) => logger.warn(`--${option}: ${text}`);
  return named(option, () => openSelfSignedCa(pkiFolder(config), names, () => clock.now(), { notKept, warn }));
}

/**
 * Gives the server a client certificate of its own authority for kubelets, unless the options name one. Kubelets choose
 * the address at which it is presented, so it is valid for kubelets only: no API server accepts it, and its group has
 * permissions on kubelet endpoints only.
 */
function knownToAgents({ config, logger }: OpenServerOptions, authority: SelfSignedCa): ServerConfig {
  if (config["nodeagent-client-certificate"] !== "" || config["nodeagent-client-key"] !== "") return config;
  const file = "apiserver-to-agents";
  const kept = {
    file,
    commonName: file,
    organizations: [AGENT_CLIENTS_GROUP],
    usage: { kind: "agentClient" },
  } as const;
  if (unlessDiskIsFull({ logger, option: pkiOption(config) }, () => authority.client(kept)) === undefined)
    return config;
  const path = (ending: string) => join(pkiFolder(config), `${file}.${ending}`);
  return { ...config, "nodeagent-client-certificate": path("crt"), "nodeagent-client-key": path("key") };
}

/**
 * Undefined when replicas share the store: each would sign with a key of its own and reject the tokens of the others.
 */
function ownAccountKey(config: ServerConfig, { store }: Settings): StoredKey | undefined {
  const isNamed =
    config["service-account-signing-key-file"] !== "" || config["service-account-signing-endpoint"] !== "";
  if (store === "etcd" || isNamed) return undefined;
  return named(pkiOption(config), () => storedAccountKey(pkiFolder(config)));
}

/** @throws Error that names the option whose value caused the failure */
function named<T>(option: keyof ServerConfig, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new Error(`--${option}: ${(error as Error).message}`, { cause: error });
  }
}

const pkiOption = (config: ServerConfig) => (config["cert-dir"] === "" ? "data-dir" : "cert-dir");

const pkiFolder = (config: ServerConfig): string => config["cert-dir"] || join(config["data-dir"], "pki");

async function openStores(
  { config, settings, logger }: OpenServerOptions,
  { metrics, additions, etcdDialer: dialer }: StoreParts,
) {
  const etcdFiles = EtcdFiles.open(config, { logger, metrics });
  const store = await openStore(storeOptions(config, settings, metrics, { etcdFiles, additions, dialer }));
  const others = await Promise.all(
    settings.storeOverrides.map(({ endpoints }) =>
      openStore(etcdOptions({ config, metrics, etcdFiles, dialer, endpoints })),
    ),
  );
  return {
    store,
    others,
    async close() {
      await Promise.all([store, ...others].map((each) => each.close()));
      etcdFiles?.close();
    },
  };
}

function storeOptions(
  config: ServerConfig,
  settings: Settings,
  metrics: ServerMetrics,
  { additions, ...etcd }: Pick<EtcdParts, "etcdFiles" | "dialer"> & Pick<StoreParts, "additions">,
): StoreOptions {
  switch (settings.store) {
    case "memory":
      return { kind: "memory" };
    case "embedded": {
      named("data-dir", () => makeFolder(config["data-dir"]));
      return { kind: "embedded", directory: storeFolder(config["data-dir"]), additions };
    }
    case "etcd":
      return etcdOptions({ config, metrics, ...etcd, endpoints: config["etcd-servers"] });
  }
}

function etcdOptions({ config, metrics, etcdFiles, dialer, endpoints }: EtcdParts): StoreOptions {
  const byOperation = new Map<string, OperationFigures>();
  return {
    kind: "etcd",
    endpoints,
    transport: ETCD_TRANSPORTS.find((each) => each === config["etcd-transport"]) ?? ETCD_TRANSPORTS[0],
    ...(etcdFiles === undefined ? {} : { tls: etcdFiles }),
    dialer,
    onCall: (operation, tookSeconds, error) => {
      let figures = byOperation.get(operation);
      if (figures === undefined) {
        figures = operationFigures(metrics, operation);
        byOperation.set(operation, figures);
      }
      figures.seconds.observe(tookSeconds);
      figures.calls.inc();
      if (error !== undefined) figures.errors.inc();
    },
  };
}

interface OperationFigures {
  readonly seconds: { observe(value: number): void };
  readonly calls: { inc(): void };
  readonly errors: { inc(): void };
}

/** The transport knows the operation of a call; its resource is not told apart. */
function operationFigures(metrics: ServerMetrics, operation: string): OperationFigures {
  const labels = (name: Parameters<ServerMetrics["labelsFor"]>[0]) =>
    metrics.labelsFor(name, { group: "", resource: "" }, { operation });
  return {
    seconds: metrics.histogram("etcd_request_duration_seconds").labels(labels("etcd_request_duration_seconds")),
    calls: metrics.counter("etcd_requests_total").labels(labels("etcd_requests_total")),
    errors: metrics.counter("etcd_request_errors_total").labels(labels("etcd_request_errors_total")),
  };
}

interface EtcdParts {
  readonly config: ServerConfig;
  readonly metrics: ServerMetrics;
  readonly etcdFiles: EtcdFiles | undefined;
  readonly dialer: StoreParts["etcdDialer"];
  readonly endpoints: readonly string[];
}

const fromHere = (path: string): string => relative(process.cwd(), path);

interface TriedServer {
  readonly url: string;
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
}

/** Returns example commands with the vocabulary's own client, or with curl when its client is not widely installed. */
function triesOf(kubeconfig: string | undefined, { url, config, vocabulary }: TriedServer): readonly string[] {
  if (vocabulary.name === "kubernetes" && kubeconfig !== undefined) {
    const client = `${vocabulary.programs.orchctl} --kubeconfig=${fromHere(kubeconfig)}`;
    return [
      `${client} get namespaces`,
      `${client} create configmap hello --from-literal=greeting=hi`,
      `${client} get configmaps --watch`,
    ];
  }
  const pki = fromHere(pkiFolder(config));
  const curl = `curl --cacert ${pki}/ca.crt --cert ${pki}/admin.crt --key ${pki}/admin.key`;
  const maps = `${url}/api/v1/namespaces/default/configmaps`;
  const object = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"hello"},"data":{"greeting":"hi"}}';
  return [
    `${curl} ${url}/api/v1/namespaces`,
    `${curl} ${maps} -H 'Content-Type: application/json' -d '${object}'`,
    `${curl} -N "${maps}?watch=1"`,
  ];
}

/** Embeds the certificate, because users copy this file to other machines. */
function operatorKubeconfig(
  server: ApiServer,
  authority: SelfSignedCa,
  config: ServerConfig,
  vocabulary: Vocabulary,
): string {
  const material = { kind: "inPlace", ca: authority.trust, ...authority.admin } as const;
  const serverName = authority.nameFor(hostOf(config));
  const of = { user: ADMIN_USER, material, serverName };
  return writeKubeconfig("admin", of, { url: urlOf(server, config), config, vocabulary });
}

/** Refers to certificate files: the controller manager outlives a certificate and reads it again. */
function managerKubeconfig(
  server: ApiServer,
  authority: SelfSignedCa,
  config: ServerConfig,
  vocabulary: Vocabulary,
): string {
  const file = "controller-manager";
  const user = vocabulary.users.controllerManager;
  authority.client({ file, commonName: user });
  const pki = relative(resolve(config["data-dir"]), resolve(pkiFolder(config)));
  const of = (name: string) => join(pki, name);
  const pair = { certificate: of(`${file}.crt`), key: of(`${file}.key`) };
  const material: ClientMaterial =
    authority.trust === authority.ca.certificate
      ? { kind: "files", ca: of("ca.crt"), ...pair }
      : { kind: "pairFiles", ca: authority.trust, ...pair };
  return writeKubeconfig(
    file,
    { user, material, serverName: authority.nameFor(hostOf(config)) },
    { url: urlOf(server, config), config, vocabulary },
  );
}

/** URL for clients on this machine. */
const urlOf = (server: ApiServer, config: ServerConfig): string => urlAt(hostOf(config), server.port);

const hostOf = (config: ServerConfig): string =>
  isUnspecified(config["bind-address"]) ? "127.0.0.1" : config["bind-address"];

const advertised = (config: ServerConfig): string =>
  advertisedAddress({ bindAddress: config["bind-address"], advertiseAddress: config["advertise-address"] });

const urlAt = (host: string, port: number): string => `https://${host.includes(":") ? `[${host}]` : host}:${port}`;

/** @returns the path of the file */
function writeKubeconfig(
  file: string,
  of: Pick<KubeconfigOf, "user" | "material" | "serverName">,
  at: { readonly url: string; readonly config: ServerConfig; readonly vocabulary: Vocabulary },
): string {
  const path = resolve(at.config["data-dir"], `${file}.kubeconfig`);
  const text = kubeconfigText({ url: at.url, ...of, name: at.vocabulary.objectNames.product });
  makeFolder(at.config["data-dir"]);
  writeFileAtomically(path, text, 0o600);
  return path;
}
