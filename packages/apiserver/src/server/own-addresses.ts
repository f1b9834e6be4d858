// Addresses of this server and its replicas. The server never connects there on behalf of an object: its credentials,
// or its source address, may grant more than the author of the object has.
import { networkInterfaces } from "node:os";
import { DEFAULT_NAMESPACE } from "@orch/apis";
import type { DialGuard } from "@orch/extensions";
import { isUnspecified } from "@orch/http-server";
import { type AddressClass, addressClass, equivalentAddresses } from "@orch/platform";
import type { ResourceStorage } from "@orch/registry";
import type { coreV1, Vocabulary } from "@orch/schema";

export interface OwnAddressesParts {
  readonly vocabulary: Vocabulary;
  /** Configured addresses of the listener and those advertised to clients. */
  readonly bindAddress: string;
  readonly advertiseAddress: string;
  /** The port of the listener. */
  readonly securePort: () => number;
  /** Read when a connection is about to be opened. */
  readonly storages: () => { readonly services: Peeked; readonly endpoints: Peeked };
}

type Peeked = Pick<ResourceStorage, "peek">;

interface Place {
  readonly host: string;
  readonly port: number;
}

export class OwnAddresses implements DialGuard {
  constructor(private readonly parts: OwnAddressesParts) {}

  refusal({ host, port }: Place): string | undefined {
    const kind = addressClass(host);
    if (kind !== undefined && REFUSED.has(kind))
      return `${host} is a ${kind} address, not the address of a single other machine`;
    const meant = equivalentAddresses(host);
    const isAmong = (places: readonly Place[]) =>
      places.some(
        (place) => place.port === port && equivalentAddresses(place.host).some((each) => meant.includes(each)),
      );
    if (port === this.parts.securePort() && this.isOfThisMachine(meant))
      return leadsTo({ host, port }, "this API server itself");
    if (isAmong(this.replicas())) return leadsTo({ host, port }, "an API server of this cluster");
    if (isAmong(this.published())) return leadsTo({ host, port }, "the service of the API itself");
    return undefined;
  }

  private isOfThisMachine(meant: readonly string[]): boolean {
    const { bindAddress, advertiseAddress } = this.parts;
    const sameAs = (address: string) => equivalentAddresses(address).some((each) => meant.includes(each));
    if (advertiseAddress !== "" && sameAs(advertiseAddress)) return true;
    const isLoopback = meant.some((each) => addressClass(each) === "loopback");
    if (!isUnspecified(bindAddress)) return bindAddress === "localhost" ? isLoopback : sameAs(bindAddress);
    const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    return isLoopback || interfaces.some(({ address }) => sameAs(address));
  }

  private get key() {
    return { namespace: DEFAULT_NAMESPACE, name: this.parts.vocabulary.objectNames.product };
  }

  private replicas(): readonly Place[] {
    const found = this.parts.storages().endpoints.peek(this.key)?.whole() as coreV1.Endpoints | undefined;
    return (found?.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) =>
      [...addresses, ...notReadyAddresses].flatMap(({ ip = "" }) => ports.map(({ port }) => ({ host: ip, port }))),
    );
  }

  private published(): readonly Place[] {
    const found = this.parts.storages().services.peek(this.key)?.whole() as coreV1.Service | undefined;
    const { clusterIP = "", clusterIPs = [], externalIPs = [], ports = [] } = found?.spec ?? {};
    const balanced = (found?.status?.loadBalancer?.ingress ?? []).map(({ ip = "" }) => ip);
    const hosts = [clusterIP, ...clusterIPs, ...externalIPs, ...balanced];
    return hosts.flatMap((host) => ports.map(({ port }) => ({ host, port })));
  }
}

const REFUSED: ReadonlySet<AddressClass> = new Set(["unspecified", "link-local", "multicast", "broadcast", "metadata"]);

const leadsTo = ({ host, port }: Place, what: string): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port} is ${what}, which objects may not refer to; use the address of the intended backend`;
