// Cluster IPs of a service: checks the requested ones and allocates the others. Source:
// pkg/registry/core/service/storage/alloc.go; pkg/registry/core/service/ipallocator/ipallocator.go.

import {
  type AddressFamily,
  type AllocationContext,
  type FieldError,
  familyOf,
  field,
  internalError,
} from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import type { AddressRange } from "./address-range";
import { freePosition } from "./free-position";
import type { ServiceCidrRanges } from "./service-cidr-ranges";
import { settleFamilies } from "./service-families";
import { addressKey, canonicalAddressKey } from "./service-keys";
import { isHeadless } from "./service-kinds";
import type { Having, ServiceRanges } from "./service-ranges";

type Spec = { -readonly [Field in keyof coreV1.ServiceSpec]?: coreV1.ServiceSpec[Field] | undefined };

export interface AddressSource {
  /** The ranges of the flag, which name the families of the cluster. */
  readonly ranges: ServiceRanges["addresses"];
  /** The ranges of the ServiceCIDRs; undefined in releases without them. */
  readonly cidrs: ServiceCidrRanges | undefined;
  /** Name of the service. */
  readonly name: string;
}

export function giveAddresses(
  spec: Spec,
  old: Spec | undefined,
  from: AddressSource,
  context: Having,
): readonly FieldError[] {
  if (spec.type === "ExternalName") return [];
  const errors = settleFamilies(spec, old, from.ranges);
  if (errors.length > 0 || isHeadless(spec)) return errors;
  const families = (spec.ipFamilies ?? []) as readonly AddressFamily[];
  const wanted = [...(spec.clusterIPs ?? [])];
  const refusals = wanted.flatMap((address) => refusalOf(address, from, context));
  if (refusals.length > 0) {
    return refusals.map((text) => field.invalid("spec.clusterIPs", spec.clusterIPs, text));
  }
  // A dry run reserves no address, because it could be taken before the actual request. Releases with ServiceCIDRs show
  // a free one.
  if (context.dryRun && from.cidrs === undefined) return [];
  for (let position = wanted.length; position < families.length; position += 1) {
    const address = nextAddress(families[position] as AddressFamily, from, context);
    if (address !== undefined) wanted.push(address);
  }
  spec.clusterIPs = wanted;
  spec.clusterIP = wanted[0];
  return [];
}

function refusalOf(address: string, from: AddressSource, context: Having): readonly string[] {
  if (context.had.has(addressKey(address))) return [];
  const beganMs = performance.now();
  const refusals = reasonsAgainst(address, from, context);
  const ranges = from.cidrs?.ready ?? from.ranges;
  const range = ranges.find((each) => each?.contains(address));
  if (range !== undefined)
    noteAttempt(context, range, { isRequested: true, succeeded: refusals.length === 0, beganMs });
  return refusals;
}

function noteAttempt(
  { attempted }: AllocationContext,
  range: AddressRange,
  attempt: { readonly isRequested: boolean; readonly succeeded: boolean; readonly beganMs: number },
): void {
  const { beganMs, ...outcome } = attempt;
  attempted?.({ range, size: range.size, ...outcome, seconds: (performance.now() - beganMs) / 1000 });
}

function reasonsAgainst(
  address: string,
  { ranges, cidrs }: AddressSource,
  { taken }: AllocationContext,
): readonly string[] {
  const isTaken = () => taken(addressKey(address));
  if (cidrs !== undefined) {
    const why = cidrs.ready.some((range) => range.contains(address))
      ? isTaken() && ALLOCATED
      : "the provided network does not match the current range";
    return why === false ? [] : [`failed to allocate IP ${address}: ${why}`];
  }
  const range = ranges.find((each) => each?.family === familyOf(address));
  const why =
    range?.contains(address) !== true
      ? `provided IP is not in the valid range. The range of valid IPs is ${(range ?? ranges[0]).text}`
      : isTaken() && ALLOCATED;
  return why === false ? [] : [`failed to allocated ip:${address} with error:${why}`];
}

const ALLOCATED = "provided IP is already allocated";

/** @throws StatusError InternalError (500) when no address is free */
function nextAddress(
  family: AddressFamily,
  { ranges, cidrs, name }: AddressSource,
  context: AllocationContext,
): string | undefined {
  if (cidrs === undefined) {
    const range = ranges.find((each) => each?.family === family);
    if (range === undefined) return undefined;
    const beganMs = performance.now();
    const found = freeIn(range, { first: RESERVED, last: range.size }, context);
    noteAttempt(context, range, { isRequested: false, succeeded: found !== undefined, beganMs });
    if (found === undefined) throw internalError("failed to allocate a serviceIP: range is full");
    return found;
  }
  const own = canonicalAddressKey(ranges[0].at(0));
  const free = { ...context, taken: (key: string) => key === own || context.taken(key) };
  for (const range of cidrs.ready) {
    if (range.family !== family) continue;
    const beganMs = performance.now();
    const found =
      freeIn(range, { first: range.band, last: range.size }, free) ??
      freeIn(range, { first: 0, last: range.band }, free);
    noteAttempt(context, range, { isRequested: false, succeeded: found !== undefined, beganMs });
    if (found !== undefined) return found;
  }
  throw internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`);
}

/**
 * Number of addresses at the start that are not allocated: the first is that of the API server and must be requested
 * explicitly.
 */
const RESERVED = 1;

function freeIn(
  range: AddressRange,
  { first, last }: { readonly first: number; readonly last: number },
  context: AllocationContext,
): string | undefined {
  const position = freePosition(last - first, context, (at) => canonicalAddressKey(range.at(first + at)));
  return position === undefined ? undefined : range.at(first + position);
}
