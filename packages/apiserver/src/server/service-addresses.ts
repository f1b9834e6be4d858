// The objects behind the addresses of services: the default ServiceCIDR and the IPAddresses, in releases that allocate
// from them. Source: Kubernetes KEP-1880.
import { DefaultServiceCidr, IpAddressRepair, type ResourceStorages } from "@orch/served-resources";
import type { ApiServerParts } from "./api-server-parts";

export class ServiceAddresses {
  constructor(
    private readonly cidr: DefaultServiceCidr,
    private readonly repair: IpAddressRepair,
  ) {}

  /** Resolves when the default ServiceCIDR exists. @throws StatusError when it cannot be stored */
  async start(): Promise<void> {
    await this.cidr.start();
    // Not awaited: services keep their addresses without the objects.
    void this.repair.start();
  }

  stop(): void {
    this.cidr.stop();
    this.repair.stop();
  }
}

/** @returns undefined in releases without the kinds */
export function serviceAddressesOf(
  { settings, vocabulary, logger }: ApiServerParts,
  { services, serviceCidrs, ipAddresses, events }: ResourceStorages,
  now: () => number,
): ServiceAddresses | undefined {
  if (serviceCidrs === undefined || ipAddresses === undefined || !settings.gates.MultiCIDRServiceAllocator) {
    return undefined;
  }
  const shared = { events, vocabulary, logger, now };
  const cidrs = settings.serviceRanges.addresses.flatMap((range) => (range === undefined ? [] : [range.text]));
  return new ServiceAddresses(
    new DefaultServiceCidr({ ...shared, serviceCidrs, cidrs }),
    new IpAddressRepair({ ...shared, services, ipAddresses }),
  );
}
