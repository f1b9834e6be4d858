// Decides whether a deleted ServiceCIDR can go: no address of a service may be left in no ServiceCIDR. Source:
// pkg/controller/servicecidrs/servicecidrs_controller.go, `canDeleteCIDR`.
import { AddressRange } from "@orch/apis";
import type { networkingV1 } from "@orch/schema";

type ServiceCIDR = networkingV1.ServiceCIDR;

const nameOf = ({ metadata }: ServiceCIDR): string => metadata?.name ?? "";

const rangesOf = ({ spec }: ServiceCIDR): readonly AddressRange[] =>
  (spec?.cidrs ?? []).flatMap((text) => AddressRange.ofServiceCidr(text) ?? []);

/** Returns the ServiceCIDRs with a range that overlaps one of this ServiceCIDR. */
export function overlapping(cidr: ServiceCIDR, all: readonly ServiceCIDR[]): readonly ServiceCIDR[] {
  const ranges = rangesOf(cidr);
  const overlaps = (other: AddressRange) => ranges.some((range) => range.covers(other) || other.covers(range));
  return all.filter((other) => rangesOf(other).some(overlaps));
}

/** Whether the ServiceCIDR has a range that contains an address. */
export const containsAddress = (cidr: ServiceCIDR, address: string): boolean =>
  rangesOf(cidr).some((range) => range.contains(address));

/**
 * Builds a test for addresses that only the given ServiceCIDR contains.
 * @returns undefined when other ServiceCIDRs contain all of its ranges, so that no address can be left over
 */
export function orphanTest(cidr: ServiceCIDR, all: readonly ServiceCIDR[]): ((address: string) => boolean) | undefined {
  const own = rangesOf(cidr);
  const others = all.filter((other) => nameOf(other) !== nameOf(cidr)).flatMap(rangesOf);
  if (own.every((range) => others.some((other) => other.covers(range)))) return undefined;
  return (address) => own.some((range) => range.contains(address)) && !others.some((range) => range.contains(address));
}
