// Numbers of resource claims by allocation, administrative access and source. Source:
// pkg/controller/resourceclaim/controller.go.
import { memberOf, type resourceV1, type Vocabulary } from "@orch/schema";
import type { ClaimCount } from "../../framework/device-metrics";

type Claim = resourceV1.ResourceClaim;

/** Returns whether a request of the claim asks for administrative access. */
export const hasAdminAccess = ({ spec }: Claim): boolean =>
  spec.devices?.requests?.some(({ exactly }) => exactly?.adminAccess === true) === true;

/** Counts the claims. Combinations without a claim are omitted. */
export function claimCounts(claims: Iterable<Claim>, { annotations }: Vocabulary): readonly ClaimCount[] {
  const counts = new Map<string, ClaimCount>();
  for (const claim of claims) {
    const own = claim.metadata?.annotations ?? {};
    const isExtended = memberOf(own, annotations.resourceExtendedResourceClaim) === "true";
    const isMade = Boolean(memberOf(own, annotations.resourcePodClaimName));
    const of = {
      allocated: Boolean(claim.status?.allocation),
      adminAccess: hasAdminAccess(claim),
      source: isExtended ? "extended_resource" : isMade ? "resource_claim_template" : "",
    } as const;
    const key = JSON.stringify(of);
    counts.set(key, { ...of, claims: (counts.get(key)?.claims ?? 0) + 1 });
  }
  return [...counts.values()];
}
