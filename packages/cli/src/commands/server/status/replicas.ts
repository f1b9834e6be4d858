// Replicas of a server and the holders of leader leases, from Leases of the system namespace. Source: Kubernetes
// documentation, "Leases".
import { isIP } from "node:net";
import { builtInTypes, type Client, type ConnectionSettings } from "@orch/client";
import { type coordinationV1, type JsonObject, type VocabularyName, vocabularyOf } from "@orch/schema";
import { type Health, healthAt } from "./health";

export interface Replica {
  /** Name of the identity lease; "" when the server keeps none. */
  readonly identity: string;
  readonly host: string;
  /** RFC 3339; "" when it is not known. */
  readonly renewed: string;
  readonly isAlive: boolean;
}

export interface Leader {
  readonly lease: string;
  readonly holder: string;
  readonly renewed: string;
  readonly transitions: number;
  readonly state: "held" | "expired" | "released";
}

export interface Endpoint {
  readonly address: string;
  /** Undefined when it cannot be reached from here. */
  readonly ready: Health | undefined;
}

const PAGE = 500;
const ENDPOINTS_MAX = 20;
const ENDPOINT_TIMEOUT_MS = 3000;

/** Returns the identity leases and the leader leases. @throws StatusError when they may not be read */
export async function leasesOf(
  client: Client,
  nowMs: number,
): Promise<{ readonly replicas: readonly Replica[]; readonly leaders: readonly Leader[] }> {
  const { namespaces, labels } = vocabularyOf(client.vocabulary);
  const access = client.resource(builtInTypes(client.vocabulary).leases).namespace(namespaces.system);
  const replicas: Replica[] = [];
  const leaders: Leader[] = [];
  let next = "";
  do {
    const page = await access.list({ limit: PAGE, ...(next !== "" && { continue: next }) });
    for (const lease of page.items) {
      if (lease.metadata?.labels?.[labels.apiserverIdentity] !== undefined) {
        replicas.push(replicaOf(lease, nowMs));
      } else leaders.push(leaderOf(lease, nowMs));
    }
    next = page.continue;
  } while (next !== "");
  return { replicas, leaders };
}

function replicaOf(lease: coordinationV1.Lease, nowMs: number): Replica {
  const labels = Object.entries(lease.metadata?.labels ?? {});
  return {
    identity: lease.metadata?.name ?? "",
    host: labels.find(([name]) => name.endsWith("/hostname"))?.[1] ?? "",
    renewed: lease.spec?.renewTime ?? "",
    isAlive: isCurrent(lease, nowMs),
  };
}

function leaderOf(lease: coordinationV1.Lease, nowMs: number): Leader {
  const holder = lease.spec?.holderIdentity ?? "";
  return {
    lease: lease.metadata?.name ?? "",
    holder,
    renewed: lease.spec?.renewTime ?? "",
    transitions: lease.spec?.leaseTransitions ?? 0,
    state: holder === "" ? "released" : isCurrent(lease, nowMs) ? "held" : "expired",
  };
}

function isCurrent({ spec }: coordinationV1.Lease, nowMs: number): boolean {
  const renewedMs = Date.parse(spec?.renewTime ?? "");
  return renewedMs + (spec?.leaseDurationSeconds ?? 0) * 1000 >= nowMs;
}

export interface EndpointSource {
  readonly client: Client;
  readonly connection: ConnectionSettings;
  readonly clientAt: (connection: ConnectionSettings) => Client;
}

/** Returns the addresses that the servers publish in the Endpoints of their own service, with the health of each. */
export async function endpointsOf({ client, connection, clientAt }: EndpointSource): Promise<readonly Endpoint[]> {
  const { hostname } = new URL(connection.server);
  const name = serviceOf(client.vocabulary);
  const endpoints = await client.resource(builtInTypes(client.vocabulary).endpoints).namespace("default").find(name);
  const addresses = addressesIn(endpoints as JsonObject | undefined).slice(0, ENDPOINTS_MAX);
  // An address has no other name: the certificate of each server must be for its own.
  const verified = connection.tls.serverName ?? hostname.replace(/^\[|\]$/g, "");
  const names = isIP(verified) === 0 ? { serverName: verified } : {};
  return Promise.all(
    addresses.map(async (address) => {
      const other = clientAt({ ...connection, server: `https://${address}`, tls: { ...connection.tls, ...names } });
      const ready = await healthAt(other, "/readyz", ENDPOINT_TIMEOUT_MS).catch(() => undefined);
      return { address, ready };
    }),
  );
}

const serviceOf = (vocabulary: VocabularyName): string => vocabularyOf(vocabulary).objectNames.product;

interface Subset {
  readonly addresses?: readonly { readonly ip?: string }[];
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[];
}

function addressesIn(endpoints: JsonObject | undefined): string[] {
  const subsets = (endpoints?.["subsets"] ?? []) as readonly Subset[];
  return subsets.flatMap(({ addresses = [], ports = [] }) => {
    const port = (ports.find(({ name }) => name === "https") ?? ports[0])?.port;
    return addresses.flatMap(({ ip = "" }) =>
      ip === "" || port === undefined ? [] : [`${ip.includes(":") ? `[${ip}]` : ip}:${port}`],
    );
  });
}
