// The service by which workloads reach this server, whether this server reconciles its Endpoints, and the Lease that
// identifies it.
import { hostname } from "node:os";
import { existsIn } from "@orch/schema";
import {
  IdentityLease,
  type IdentityLeaseDeps,
  OwnService,
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

/** Releases with a Lease for each API server. */
const IDENTIFIED = { since: "1.26" };

/** @returns undefined in releases without the Lease and in other workers */
export function identityLeaseOf(
  { settings, vocabulary, logger, identity }: ApiServerParts,
  { leases }: ResourceStorages,
  { now, renewed }: Pick<IdentityLeaseDeps, "now" | "renewed">,
): IdentityLease | undefined {
  const isKeeper = identity === undefined || identity.number === 1;
  if (!isKeeper || leases === undefined || !existsIn(IDENTIFIED, settings.release)) {
    renewed();
    return undefined;
  }
  return new IdentityLease({ leases, vocabulary, logger, hostname: hostname(), now, renewed });
}
