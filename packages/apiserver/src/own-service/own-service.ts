// The service under which workloads find the API, and its endpoints: the replicas that are alive. Every replica keeps them; they
// agree, since all read the same leases. Source: pkg/controlplane/reconcilers/lease.go.

import { isIPv6 } from "node:net";
import { DEFAULT_NAMESPACE } from "@orch/apis";
import { metaOf } from "@orch/machinery";
import { errorFields } from "@orch/platform";
import type { ResourceStorage } from "@orch/registry";
import type { JsonObject, Vocabulary } from "@orch/schema";
import type { Logger } from "../logging/logger";
import { canonical, createUnlessPresent } from "../server/bootstrap/own-objects";
import { ownWrite } from "../server/own-identity";
import type { ReplicaLeases } from "./replica-leases";

export interface OwnServiceDeps {
  readonly services: ResourceStorage;
  readonly endpoints: ResourceStorage;
  /** Undefined in releases that have none. */
  readonly endpointSlices: ResourceStorage | undefined;
  readonly vocabulary: Vocabulary;
  /** The first of the range that services are given. */
  readonly clusterIp: string;
  /** Where this replica listens. */
  readonly securePort: () => number;
  /** Undefined: this server does not keep the endpoints. */
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

  /** Resolves after the first round; what fails is tried again in the next. */
  async start(): Promise<void> {
    await this.look();
    if (!this.stopped) this.timer = setInterval(() => void this.look(), ROUND_MS).unref();
  }

  /** @param goesOn another process serves at the same address; else this replica is taken off the endpoints, as far as the store lets it */
  async stop(goesOn: boolean): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    await this.round;
    const { leases } = this.deps;
    if (leases === undefined || goesOn) return;
    await this.quietly(async () => {
      await leases.giveUp();
      await this.keepEndpoints(await leases.alive());
    });
  }

  private look(): Promise<void> {
    this.round = this.round.then(() =>
      this.quietly(async () => {
        const { leases } = this.deps;
        await this.keepService();
        if (leases === undefined) return;
        await leases.renew();
        await this.keepEndpoints(await leases.alive());
      }),
    );
    return this.round;
  }

  private async quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.deps.logger.warn("the service of the API could not be kept", errorFields(error));
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
   * Writes the addresses. An empty list is a store that has lost its leases, not a fleet without replicas: then nothing is erased.
   * The port is written once after the start, and where the object does not have exactly one: replicas that listen on different ports
   * would overwrite each other's without end.
   */
  private async keepEndpoints(addresses: readonly string[]): Promise<void> {
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
      const addressType = addresses.every((address) => isIPv6(address)) ? "IPv6" : "IPv4";
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
      await storage.delete(this.key, {}, ownWrite(storage, vocabulary));
      return this.keep(storage, labels, wantedAfter);
    }
    const metadata = { ...(metaOf(present) as JsonObject), labels: { ...metaOf(present).labels, ...labels } };
    await storage.update({ ...present, ...wanted, metadata }, this.key, ownWrite(storage, vocabulary));
  }
}

function isListOfOne(value: unknown): value is [JsonObject] {
  return Array.isArray(value) && value.length === 1;
}

/** Whether a stored value says all that is wanted of it: the server adds defaults of its own. */
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
