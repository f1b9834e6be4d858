// The service by which workloads reach this server, whether this server reconciles its Endpoints, and the Lease that
// identifies it.
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { ResourceDefinition } from "@orch/machinery";
import { existsIn } from "@orch/schema";
import {
  type ElectingServer,
  IdentityLease,
  type IdentityLeaseDeps,
  OwnService,
  OwnStorageVersions,
  openElectingServer,
  ReplicaLeases,
  type ResourceStorages,
} from "@orch/served-resources";
import type { AdvertisedAddress } from "./advertised-address";
import type { ApiServerParts } from "./api-server-parts";

export interface OwnServicePlace {
  readonly storages: ResourceStorages;
  readonly place: AdvertisedAddress;
  readonly securePort: () => number;
}

export function ownServiceOf(
  { config, settings, store, vocabulary, logger, identity }: ApiServerParts,
  { storages: { services, endpoints, endpointSlices }, place, securePort }: OwnServicePlace,
): OwnService {
  // Workers are one replica: they share an address, and the first one renews its lease.
  const isKeeper = identity === undefined || identity.number === 1;
  const publishes = isKeeper && config["endpoint-reconciler-type"] !== "none";
  const address = publishes ? place.endpointIp : undefined;
  if (publishes && address === undefined) {
    const service = `default/${vocabulary.objectNames.product}`;
    logger.warn(
      `service ${service} gets no endpoint for this server: --advertise-address, --bind-address and the network interfaces have no address that other machines can reach; set --advertise-address`,
    );
  }
  return new OwnService({
    ...{ services, endpoints, endpointSlices, vocabulary, logger, securePort },
    clusterIp: settings.serviceRanges.addresses[0].at(0),
    leases: address !== undefined ? new ReplicaLeases(store, config["etcd-prefix"], address) : undefined,
  });
}

/** The first release whose servers delete their Lease when they stop. */
const RELEASED = { since: "1.36" };

/** @returns undefined without the gate, in releases without the Lease, and in other workers */
export function identityLeaseOf(
  { config, settings, vocabulary, logger, identity }: ApiServerParts,
  { leases }: ResourceStorages,
  { now, renewed }: Pick<IdentityLeaseDeps, "now" | "renewed">,
): IdentityLease | undefined {
  const isKeeper = identity === undefined || identity.number === 1;
  if (!isKeeper || leases === undefined || !settings.gates.APIServerIdentity) {
    renewed();
    return undefined;
  }
  return new IdentityLease({
    ...{ leases, vocabulary, logger, now, renewed },
    hostname: hostname(),
    name: identityName(config),
    durationSeconds: config["identity-lease-duration-seconds"],
    renewedEveryMs: config["identity-lease-renew-interval-seconds"] * 1000,
    isReleased: existsIn(RELEASED, settings.release),
  });
}

/** @returns undefined without the gates, and in other workers */
export function ownStorageVersionsOf(
  { config, settings, vocabulary, logger, identity }: ApiServerParts,
  { storageVersions }: ResourceStorages,
  { now, definitions }: { readonly now: () => number; readonly definitions: () => readonly ResourceDefinition[] },
): OwnStorageVersions | undefined {
  const { APIServerIdentity, StorageVersionAPI } = settings.gates;
  const isKeeper = identity === undefined || identity.number === 1;
  if (!isKeeper || !APIServerIdentity || !StorageVersionAPI) return undefined;
  if (storageVersions === undefined) {
    logger.warn("StorageVersionAPI has no effect: set --runtime-config to enable the API of StorageVersions");
    return undefined;
  }
  return new OwnStorageVersions({
    storageVersions,
    definitions,
    vocabulary,
    logger,
    now,
    serverId: identityName(config),
  });
}

/** @returns undefined without the gate, and in other workers */
export function electingServerOf(
  { config, settings, vocabulary, logger, identity }: ApiServerParts,
  { leases, leaseCandidates }: ResourceStorages,
  now: () => number,
): ElectingServer | undefined {
  const isKeeper = identity === undefined || identity.number === 1;
  if (!isKeeper || leases === undefined || !settings.gates.CoordinatedLeaderElection) return undefined;
  if (leaseCandidates === undefined) {
    logger.warn("CoordinatedLeaderElection has no effect: set --runtime-config to enable the API of LeaseCandidates");
    return undefined;
  }
  const durations = {
    leaseDurationMs: config["coordinated-leadership-lease-duration"],
    renewDeadlineMs: config["coordinated-leadership-renew-deadline"],
    retryPeriodMs: config["coordinated-leadership-retry-period"],
  };
  return openElectingServer({ leases, leaseCandidates, vocabulary, logger, now, durations });
}

/** Returns the name of the Lease, which identifies the server also after a restart. */
export const identityName = (config: ApiServerParts["config"]): string =>
  `apiserver-${createHash("sha256").update(`${hostname()}:${config["secure-port"]}`).digest("hex").slice(0, 26)}`;
