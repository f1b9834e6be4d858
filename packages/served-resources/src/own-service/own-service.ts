// The service of the API server and its endpoints, the live replicas. Every replica reconciles them, from the same
// leases. Source: pkg/controlplane/reconcilers/lease.go.

import { DEFAULT_NAMESPACE } from "@orch/apis";
import { metaOf } from "@orch/machinery";
import type { Logger } from "@orch/observability";
import { errorFields } from "@orch/platform";
import type { ResourceStorage } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import { serverWrite } from "../serving/own-identity";
import { canonical, createUnlessPresent } from "../serving/own-objects";
import type { ReplicaLeases } from "./replica-leases";

export interface OwnServiceDeps {
  readonly services: ResourceStorage;
  readonly endpoints: ResourceStorage;
  /** Undefined in releases without EndpointSlices. */
  readonly endpointSlices: ResourceStorage | undefined;
  readonly vocabulary: Vocabulary;
  /** The first address of the service range. */
  readonly clusterIp: string;
  /** Port of this replica. */
  readonly securePort: () => number;
  /** Undefined when this server does not reconcile the endpoints. */
  readonly leases: ReplicaLeases | undefined;
  readonly logger: Logger;
}

const ROUND_MS = 10_000;
const SERVICE_PORT = 443;

export class OwnService {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;
  private portIsPublished = false;

  constructor(private readonly deps: OwnServiceDeps) {}

  /** Resolves after the first round. Failures are retried in the next round. */
  async start(): Promise<void> {
    await this.look();
    if (!this.stopped) this.timer = setInterval(() => void this.look(), ROUND_MS).unref();
  }

  /**
   * Stops.
   * @param goesOn another process serves at the same address; otherwise this replica is removed from the endpoints when
   * the store permits
   */
  async stop(goesOn: boolean): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.round;
    const { leases } = this.deps;
    if (leases === undefined || goesOn) return;
    await this.quietly(async () => {
      await leases.giveUp();
      await this.reconcileEndpoints(await leases.alive());
    });
  }

  private look(): Promise<void> {
    this.round = this.round.then(() =>
      this.quietly(async () => {
        const { leases } = this.deps;
        await this.keepService();
        if (leases === undefined) return;
        await leases.renew();
        await this.reconcileEndpoints(await leases.alive());
      }),
    );
    return this.round;
  }

  private async quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.deps.logger.warn("cannot reconcile the service of the API server", errorFields(error));
    }
  }

  private get key() {
    return { namespace: DEFAULT_NAMESPACE, name: this.deps.vocabulary.objectNames.product };
  }

  private async keepService(): Promise<void> {
    const { services, vocabulary, clusterIp, securePort } = this.deps;
    if (services.peek(this.key) !== undefined) return;
    const labels = { component: "apiserver", provider: vocabulary.objectNames.product };
    const service = {
      kind: "Service",
      apiVersion: "v1",
      metadata: { ...this.key, labels },
      spec: {
        type: "ClusterIP",
        clusterIP: clusterIp,
        clusterIPs: [clusterIp],
        ipFamilyPolicy: "SingleStack",
        sessionAffinity: "None",
        ports: [{ name: "https", protocol: "TCP", port: SERVICE_PORT, targetPort: securePort() }],
      },
    };
    await createUnlessPresent(services, canonical(services, service), vocabulary);
  }

  /**
   * Writes the addresses. An empty list means that the store has lost its leases, not that there are no replicas:
   * nothing is removed then. The port is written once after the start, and when the object does not have exactly one:
   * replicas with different ports would overwrite each other forever.
   */
  private async reconcileEndpoints(addresses: readonly string[]): Promise<void> {
    if (addresses.length === 0) return;
    const { endpoints, endpointSlices, vocabulary, securePort } = this.deps;
    const { labels } = vocabulary;
    const own = [{ name: "https", port: securePort(), protocol: "TCP" }];
    const portsAfter = (present: unknown) => (this.portIsPublished && isListOfOne(present) ? present : own);
    await this.keep(endpoints, { [labels.endpointsliceSkipMirror]: "true" }, (present) => ({
      subsets: [
        {
          addresses: addresses.map((ip) => ({ ip })),
          ports: portsAfter(isListOfOne(present["subsets"]) ? present["subsets"][0]["ports"] : undefined),
        },
      ],
    }));
    if (endpointSlices !== undefined) {
      const addressType = addresses.every((address) => address.includes(":")) ? "IPv6" : "IPv4";
      await this.keep(endpointSlices, { [labels.serviceName]: this.key.name }, (present) => ({
        addressType,
        endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
        ports: portsAfter(present["ports"]),
      }));
    }
    this.portIsPublished = true;
  }

  private async keep(
    storage: ResourceStorage,
    labels: Record<string, string>,
    wantedAfter: (present: JsonObject) => JsonObject,
  ): Promise<void> {
    const { vocabulary } = this.deps;
    const { kind, apiVersion } = storage.definition.storage;
    const present = storage.peek(this.key)?.whole();
    const wanted = wantedAfter(present ?? {});
    if (present === undefined) {
      const object = { kind, apiVersion, metadata: { ...this.key, labels }, ...wanted };
      await createUnlessPresent(storage, canonical(storage, object), vocabulary);
      return;
    }
    const changed = Object.entries(wanted).some(([name, value]) => !holds(present[name], value));
    if (!changed) return;
    if (present["addressType"] !== wanted["addressType"]) {
      await storage.delete(this.key, {}, serverWrite(storage, vocabulary));
      return this.keep(storage, labels, wantedAfter);
    }
    const metadata = { ...(metaOf(present) as JsonObject), labels: { ...metaOf(present).labels, ...labels } };
    await storage.update({ ...present, ...wanted, metadata }, this.key, serverWrite(storage, vocabulary));
  }
}

function isListOfOne(value: unknown): value is [JsonObject] {
  return Array.isArray(value) && value.length === 1;
}

/** Whether a stored value contains all wanted members. The server may have added defaults. */
function holds(stored: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(stored) &&
      stored.length === wanted.length &&
      wanted.every((each, position) => holds(stored[position], each))
    );
  }
  if (typeof wanted !== "object" || wanted === null) return stored === wanted;
  return (
    typeof stored === "object" &&
    stored !== null &&
    Object.entries(wanted).every(([name, value]) => holds((stored as Record<string, unknown>)[name], value))
  );
}
