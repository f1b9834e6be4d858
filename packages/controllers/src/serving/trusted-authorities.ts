// Trusted authorities for client certificates: those of the options, and otherwise those that the cluster publishes for
// aggregated API servers.
// Source: Kubernetes documentation, "Configure the Aggregation Layer", config map `extension-apiserver-authentication`.
import type { RequestHeaderOptions } from "@orch/auth";
import { builtInTypes, type Client } from "@orch/client";
import { type Log, pause, readCertificates, watchFiles } from "@orch/platform";
import { vocabularyOf } from "@orch/schema";
import type { ServingConfig } from "./serving-flags";

export interface TrustedAuthorities {
  /** PEM; "": none. */
  readonly clients: string;
  /** Undefined: proxies are not trusted. */
  readonly proxies: Omit<RequestHeaderOptions, "nowMs" | "isRevoked"> | undefined;
}

const MAP = "extension-apiserver-authentication";
const LOOK_EVERY_MS = 60_000;
const TRIES = 10;
const RETRY_MS = 1_000;

/** @throws Error naming the option, for an unusable file */
export function ownAuthorities(config: ServingConfig): TrustedAuthorities {
  const [clients, proxies] = (["client-ca-file", "requestheader-client-ca-file"] as const).map((option) =>
    config[option] === "" ? "" : readCertificates(option, config[option]),
  );
  return {
    clients: clients ?? "",
    proxies: proxies ? { caPem: proxies, ...headersOf(config) } : undefined,
  };
}

const headersOf = (config: ServingConfig) => ({
  allowedNames: config["requestheader-allowed-names"],
  usernameHeaders: config["requestheader-username-headers"],
  uidHeaders: [],
  groupHeaders: config["requestheader-group-headers"],
  extraHeaderPrefixes: config["requestheader-extra-headers-prefix"],
});

/**
 * Returns the authorities with those of the cluster for everything that the options do not set.
 * @throws Error when the cluster publishes none, unless the options tolerate that
 */
export async function lookUpAuthorities(config: ServingConfig, client: Client, log: Log): Promise<TrustedAuthorities> {
  const own = ownAuthorities(config);
  for (let tries = 1; ; tries += 1) {
    try {
      return joined(own, await toldBy(client));
    } catch (error) {
      if (tries < TRIES) {
        await pause(client.clock, RETRY_MS);
        continue;
      }
      if (!config["authentication-tolerate-lookup-failure"])
        throw new Error(`--authentication-kubeconfig: ${MAP} cannot be read: ${(error as Error).message}`);
      log.warn("the cluster does not publish its client CAs", { error: String(error) });
      return own;
    }
  }
}

/** Calls `changed` when a file changes, and periodically if the cluster is queried, for the lifetime of the process. */
export function followAuthorities(
  config: ServingConfig,
  client: Client | undefined,
  changed: (now: () => TrustedAuthorities) => void,
): void {
  let told: TrustedAuthorities = { clients: "", proxies: undefined };
  const tell = () => changed(() => joined(ownAuthorities(config), told));
  const files = [config["client-ca-file"], config["requestheader-client-ca-file"]].filter((file) => file !== "");
  watchFiles(files, tell);
  if (client === undefined) return;
  const look = async (): Promise<void> => {
    const now = await toldBy(client).catch(() => undefined); // on failure the last result stays in force
    if (now !== undefined) {
      told = now;
      tell();
    }
    client.clock.after(LOOK_EVERY_MS, look);
  };
  void look();
}

const joined = (own: TrustedAuthorities, told: TrustedAuthorities): TrustedAuthorities => ({
  clients: own.clients || told.clients,
  proxies: own.proxies ?? told.proxies,
});

async function toldBy(client: Client): Promise<TrustedAuthorities> {
  const { system } = vocabularyOf(client.vocabulary).namespaces;
  const { data = {} } = await client.resource(builtInTypes(client.vocabulary).configMaps).namespace(system).get(MAP);
  const caPem = data["requestheader-client-ca-file"] ?? "";
  const proxies = {
    caPem,
    allowedNames: listIn(data["requestheader-allowed-names"]),
    usernameHeaders: listIn(data["requestheader-username-headers"]),
    uidHeaders: listIn(data["requestheader-uid-headers"]),
    groupHeaders: listIn(data["requestheader-group-headers"]),
    extraHeaderPrefixes: listIn(data["requestheader-extra-headers-prefix"]),
  };
  return { clients: data["client-ca-file"] ?? "", proxies: caPem === "" ? undefined : proxies };
}

function listIn(text: string | undefined): readonly string[] {
  const list: unknown = JSON.parse(text ?? "[]");
  return Array.isArray(list) ? list.filter((each): each is string => typeof each === "string") : [];
}
