// The service under which this server is found inside the cluster, and whether it has endpoints of this replica.
import { OwnService } from "../own-service/own-service";
import { ReplicaLeases } from "../own-service/replica-leases";
import { isLoopback } from "../tls/serving-names";
import type { AdvertisedPlace } from "./advertised-place";
import type { ApiServerParts } from "./api-server-parts";
import type { ResourceStorages } from "./resource-storages";

export interface OwnServicePlace {
  readonly storages: ResourceStorages;
  readonly place: AdvertisedPlace;
  readonly securePort: () => number;
}

export function ownServiceOf(
  { config, settings, store, vocabulary, logger, seat }: ApiServerParts,
  { storages: { services, endpoints, endpointSlices }, place, securePort }: OwnServicePlace,
): OwnService {
  // Nobody beyond this machine could use an endpoint of the machine's own.
  const isReachable = config["endpoint-reconciler-type"] !== "none" && !isLoopback(place.ip);
  // Workers are one replica: they have one address, and the first keeps its lease.
  const isKeeper = seat === undefined || seat.number === 1;
  return new OwnService({
    ...{ services, endpoints, endpointSlices, vocabulary, logger, securePort },
    clusterIp: settings.serviceRanges.addresses[0].at(0),
    leases: isReachable && isKeeper ? new ReplicaLeases(store, config["etcd-prefix"], place.ip) : undefined,
  });
}
