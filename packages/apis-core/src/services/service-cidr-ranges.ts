// The ranges from which cluster IPs are allocated: those of the ServiceCIDRs, in releases that have them, and otherwise
// those of the flag. Source: Kubernetes KEP-1880; pkg/registry/core/service/ipallocator/cidrallocator.go.

import type { AllocationContext, GroupResource } from "@orch/machinery";
import { metaOf } from "@orch/machinery";
import type { JsonObject, networkingV1, Vocabulary } from "@orch/schema";
import { AddressRange } from "./address-range";

/** The ranges of all ServiceCIDRs. */
export interface ServiceCidrRanges {
  /** Ranges from which addresses are allocated, those of the default ServiceCIDR first. */
  readonly ready: readonly AddressRange[];
  /** The ranges, ready or not. */
  readonly all: readonly AddressRange[];
}

export const serviceCidrResource = (vocabulary: Vocabulary): GroupResource => ({
  group: vocabulary.groups.networking,
  resource: "servicecidrs",
});

/** The ranges of each state of the objects. */
const known = new WeakMap<object, ServiceCidrRanges>();

/**
 * Returns the present ranges.
 * @param configured the ranges of the flag, which count until the default ServiceCIDR has been created from them
 * @returns undefined when the server does not have ServiceCIDRs
 */
export function serviceCidrRanges(
  { objects }: Pick<AllocationContext, "objects">,
  vocabulary: Vocabulary,
  configured: readonly (AddressRange | undefined)[],
): ServiceCidrRanges | undefined {
  const present = objects(serviceCidrResource(vocabulary));
  if (present === undefined) return undefined;
  const former = known.get(present.state);
  if (former !== undefined) return former;
  const ranges = rangesOf(present.all(), vocabulary, configured);
  known.set(present.state, ranges);
  return ranges;
}

function rangesOf(
  objects: readonly JsonObject[],
  vocabulary: Vocabulary,
  configured: readonly (AddressRange | undefined)[],
): ServiceCidrRanges {
  const isDefault = (object: JsonObject) => metaOf(object).name === vocabulary.objectNames.product;
  const first = objects.filter(isDefault);
  const ofFlag = configured.flatMap((range) => (range === undefined ? [] : rangesIn([range.text])));
  const before = first.length > 0 ? [] : ofFlag;
  const ordered = [...first, ...objects.filter((object) => !isDefault(object))];
  return {
    ready: [...before, ...ordered.filter(isReady).flatMap((object) => rangesIn(cidrsOf(object)))],
    all: [...before, ...ordered.flatMap((object) => rangesIn(cidrsOf(object)))],
  };
}

const rangesIn = (cidrs: readonly string[]): readonly AddressRange[] =>
  cidrs.flatMap((text) => AddressRange.ofServiceCidr(text) ?? []);

const cidrsOf = ({ spec }: JsonObject): readonly string[] =>
  (spec as networkingV1.ServiceCIDRSpec | undefined)?.cidrs ?? [];

/** A ServiceCIDR without the condition is ready, because the controller may not run. One that is deleted is not. */
function isReady(object: JsonObject): boolean {
  if (metaOf(object).deletionTimestamp !== undefined) return false;
  const { conditions = [] } = (object["status"] ?? {}) as networkingV1.ServiceCIDRStatus;
  return conditions.find(({ type }) => type === "Ready")?.status !== "False";
}
