// Opens the dialers of `--egress-selector-config-file`. The file and those that it names are read once, at the start.
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { namingFile, readConfigurationFile } from "@orch/machinery";
import {
  ConnectDialer,
  type ConnectProxy,
  type Dialer,
  type DialObserver,
  type EgressNetwork,
  EgressSelector,
  type NamedMetrics,
} from "@orch/platform";
import type { Vocabulary } from "@orch/schema";
import type { ServerConfig } from "../flags/server-flags";
import { namingOption } from "../settings/named-option";
import { type ProxySettings, type ProxyTls, readEgress } from "./egress-configuration";

export interface EgressParts {
  readonly config: ServerConfig;
  readonly vocabulary: Vocabulary;
  readonly release: string;
  readonly metrics: NamedMetrics<
    "apiserver_egress_dialer_dial_start_total" | "apiserver_egress_dialer_dial_failure_count",
    never,
    "apiserver_egress_dialer_dial_duration_seconds"
  >;
}

const OPTION = "egress-selector-config-file";
const FILE_MAX_BYTES = 64 * 1024;
const PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** @throws SettingsError that names the option, the file, the field and the rule */
export async function openEgress(parts: EgressParts): Promise<EgressSelector> {
  const { config, vocabulary, release, metrics } = parts;
  const file = config[OPTION];
  if (file === "") return new EgressSelector();
  const open = async () => {
    const read = await readEgress(await readConfigurationFile(file, FILE_MAX_BYTES), vocabulary, release);
    if (read.get("etcd") !== undefined && config["etcd-transport"] !== "direct")
      throw new Error("a proxy to etcd requires --etcd-transport=direct");
    const dialers = new Map<EgressNetwork, Dialer | undefined>();
    for (const [network, proxy] of read) dialers.set(network, proxy && (await dialerOf(proxy, metrics)));
    return new EgressSelector(dialers);
  };
  return namingOption(OPTION, () => namingFile(file, open));
}

async function dialerOf(proxy: ProxySettings, metrics: EgressParts["metrics"]): Promise<Dialer> {
  return new ConnectDialer(await proxyOf(proxy), observerOf(proxy.kind, metrics));
}

async function proxyOf(proxy: ProxySettings): Promise<ConnectProxy> {
  if (proxy.kind === "uds") return { name: `unix:${proxy.path}`, at: { path: proxy.path } };
  const { url, tls } = proxy;
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return {
    // The URL may contain a password, which is not sent either.
    name: `${url.protocol}//${url.host}`,
    at: { host, port: Number(url.port) || (PORTS[url.protocol] ?? 0) },
    tls: tls && {
      secureContext: await contextOf(tls),
      ...(tls.serverName === "" ? {} : { servername: tls.serverName }),
    },
  };
}

async function contextOf({ ca, certificate, key }: ProxyTls) {
  const [cert, keyText, authorities] = await Promise.all([
    readFile(certificate, "utf8"),
    readFile(key, "utf8"),
    ca === "" ? undefined : readFile(ca, "utf8"),
  ]);
  try {
    return createSecureContext({
      ...{ minVersion: "TLSv1.2", cert, key: keyText },
      ...(authorities === undefined ? {} : { ca: authorities, allowPartialTrustChain: true }),
    });
  } catch (error) {
    throw new Error(`tlsConfig: the files cannot be used: ${(error as Error).message}`, { cause: error });
  }
}

function observerOf(transport: ProxySettings["kind"], metrics: EgressParts["metrics"]): DialObserver {
  const labels = { protocol: "http_connect", transport };
  const starts = metrics.counter("apiserver_egress_dialer_dial_start_total");
  const failures = metrics.counter("apiserver_egress_dialer_dial_failure_count");
  const seconds = metrics.histogram("apiserver_egress_dialer_dial_duration_seconds").labels(labels);
  return {
    started: () => starts.inc(labels),
    failed: (stage) => failures.inc({ ...labels, stage }),
    connected: (took) => seconds.observe(took),
  };
}
