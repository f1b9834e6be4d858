// The other API servers of the cluster: where they are, and the requests that they answer in place of this one.
import type { TrustedHeaders } from "@orch/extensions";
import { watchedCertificates, watchedPair } from "@orch/http-server";
import type { DiscoverySource } from "@orch/openapi";
import { MergedPeers, PeerProxy } from "@orch/proxy";
import { compareReleases } from "@orch/schema";
import { PeerEndpoints } from "@orch/served-resources";
import type { AdvertisedAddress } from "./advertised-address";
import type { ApiServerParts } from "./api-server-parts";
import { identityName } from "./own-service";

export interface Peers {
  readonly proxy: PeerProxy;
  /** Returns discovery with the resources of the other servers. Undefined in a release that does not merge them. */
  readonly discovery: ((local: DiscoverySource) => DiscoverySource) | undefined;
  start(): Promise<void>;
  stop(keeps: boolean): Promise<void>;
}

export interface PeersPlace {
  readonly place: AdvertisedAddress;
  readonly securePort: () => number;
  readonly trusted: () => TrustedHeaders;
}

/** The first release with the gate. Servers of earlier releases forward when they have the option. */
const GATED_SINCE = "1.28";

/** First release whose discovery has the resources of the other servers. */
const MERGED_SINCE = "1.36";

/** @returns undefined when nothing is forwarded @throws Error that names the option for a file that cannot be read */
export function peersOf(parts: ApiServerParts, { place, securePort, trusted }: PeersPlace): Peers | undefined {
  const { config, settings, store, vocabulary, logger, metrics, identity } = parts;
  const file = config["peer-ca-file"];
  const { UnknownVersionInteroperabilityProxy: isOn } = settings.gates;
  if (file === "") return undefined;
  if (!isOn && compareReleases(settings.release, GATED_SINCE) >= 0) {
    logger.warn("--peer-ca-file has no effect without the gate UnknownVersionInteroperabilityProxy");
    return undefined;
  }
  const option = (name: "peer-ca-file" | "proxy-client-cert-file" | "proxy-client-key-file") => ({
    option: name,
    file: config[name],
  });
  const authorities = watchedCertificates(option("peer-ca-file"), parts);
  const pair = watchedPair(option("proxy-client-cert-file"), option("proxy-client-key-file"), parts);
  const endpoints = new PeerEndpoints({
    ...{ store, logger, prefix: config["etcd-prefix"], serverId: identityName(config) },
    isKeeper: identity === undefined || identity.number === 1,
    own: () => ({
      host: config["peer-advertise-ip"] || place.ip,
      port: config["peer-advertise-port"] || securePort(),
    }),
  });
  const forwarded = metrics.counter("apiserver_rerouted_request_total");
  const failed = metrics.counter("apiserver_peer_proxy_errors_total");
  const unread = metrics.counter("apiserver_peer_discovery_sync_errors_total");
  const proxy = new PeerProxy({
    ...{ vocabulary, trusted, log: logger, ca: () => authorities.current, clientPair: () => pair.current },
    dialer: parts.egress.dialer("controlplane"),
    peers: () => endpoints.others(),
    forwarded: (code, { group, version, resource }) => forwarded.inc({ code: String(code), group, version, resource }),
    failed: ({ group, version, resource }) => failed.inc({ type: "endpoint_resolution", group, version, resource }),
    discoveryFailed: (type) => unread.inc({ type }),
  });
  const merges = compareReleases(settings.release, MERGED_SINCE) >= 0;
  return {
    proxy,
    discovery: merges
      ? (local) => new MergedPeers(local, { vocabulary, metrics, groups: () => proxy.groups })
      : undefined,
    async start() {
      await endpoints.start();
      await proxy.start();
    },
    async stop(keeps) {
      proxy.stop();
      authorities.close();
      pair.close();
      await endpoints.stop(keeps);
    },
  };
}
