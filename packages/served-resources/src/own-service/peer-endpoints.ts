// Addresses of the API servers of a cluster for each other: one key per server, which expires unless it is renewed.
// Source: staging/src/k8s.io/apiserver/pkg/reconcilers/peer_endpoint_lease.go.
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import { isObject, type JsonValue } from "@orch/schema";
import type { Store } from "@orch/store";
import { ReplicaLeases } from "./replica-leases";

export interface PeerEndpointsDeps {
  readonly store: Store;
  /** `--etcd-prefix` */
  readonly prefix: string;
  /** Name of the identity Lease of this server. */
  readonly serverId: string;
  /** Whether this process writes the address; other workers of the server only read. */
  readonly isKeeper: boolean;
  readonly own: () => { readonly host: string; readonly port: number };
  readonly logger: Logger;
}

export interface PeerEndpoint {
  readonly id: string;
  readonly host: string;
  readonly port: number;
  /** Changes when the server is started again. */
  readonly mark: string;
}

const FOLDER = "peerserverleases";
const ROUND_MS = 10_000;
const TIMEOUT_MS = 5_000;

export class PeerEndpoints {
  private leases: ReplicaLeases | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly deps: PeerEndpointsDeps) {}

  /** Resolves when the address is written, or could not be. Failures are retried in the next round. */
  async start(): Promise<void> {
    const { store, prefix, serverId, isKeeper, own } = this.deps;
    if (!isKeeper) return;
    const { host, port } = own();
    const value = {
      ...{ kind: "Endpoints", apiVersion: "v1", metadata: { name: serverId, labels: { apiserverIdentity: serverId } } },
      subsets: [{ addresses: [{ ip: host }], ports: [{ name: "https", port, protocol: "TCP" }] }],
    };
    this.leases = new ReplicaLeases(store, prefix, serverId, { folder: FOLDER, value });
    this.timer = setInterval(() => void this.renew(), ROUND_MS).unref();
    await this.renew();
  }

  async stop(keeps: boolean): Promise<void> {
    clearInterval(this.timer);
    if (!keeps) await this.leases?.giveUp().catch(() => {}); // the lease expires
  }

  /** Returns the other live servers. @throws StoreError */
  async others(): Promise<readonly PeerEndpoint[]> {
    const { store, prefix, serverId } = this.deps;
    const start = `${prefix}/${FOLDER}/`;
    const { items } = await store.range({ start, end: `${prefix}/${FOLDER}0` }, { timeoutMs: TIMEOUT_MS });
    return items.flatMap(({ key, value, lease }) => {
      const id = key.slice(start.length);
      const address = id === serverId ? undefined : addressIn(value);
      return address === undefined ? [] : [{ id, ...address, mark: `${lease} ${address.host} ${address.port}` }];
    });
  }

  private async renew(): Promise<void> {
    try {
      await this.leases?.renew();
    } catch (error) {
      this.deps.logger.warn("cannot renew the address of this server for the other API servers", errorFields(error));
    }
  }
}

function addressIn(bytes: Buffer): { readonly host: string; readonly port: number } | undefined {
  try {
    const object = JSON.parse(bytes.toString()) as JsonValue;
    const [subset] = isObject(object) && Array.isArray(object["subsets"]) ? object["subsets"] : [];
    const { addresses, ports } = subset as { addresses: { ip: string }[]; ports: { port: number }[] };
    const [host, port] = [addresses[0]?.ip, ports[0]?.port];
    return typeof host === "string" && typeof port === "number" ? { host, port } : undefined;
  } catch {
    return undefined;
  }
}
