// Indexes of slices and claims by the pool of their devices, for the controllers that share their caches.
import type { Informer } from "@orch/client";
import type { resourceV1 } from "@orch/schema";

type Result = resourceV1.DeviceRequestAllocationResult;
type Slice = resourceV1.ResourceSlice;
type Claim = resourceV1.ResourceClaim;

export const BY_POOL = "pool";

export function indexByPool(of: { readonly slices: Informer<Slice>; readonly claims: Informer<Claim> }): void {
  of.slices.addIndex(BY_POOL, (slice) => [poolKeyOf(slice)]);
  of.claims.addIndex(BY_POOL, (claim) => [...new Set(resultsOf(claim).map(poolKey))]);
}

export const poolKey = ({ driver, pool }: Pick<Result, "driver" | "pool">): string => `${driver}/${pool}`;

export const poolKeyOf = ({ spec }: Slice): string => poolKey({ driver: spec.driver, pool: spec.pool.name });

/** Returns the results of a claim's allocation. */
export const resultsOf = ({ status }: Claim): readonly Result[] => status?.allocation?.devices?.results ?? [];
