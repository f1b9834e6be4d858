// The address and port ranges of services, and what a service holds of them.

import type { AllocationContext, AllocationKey } from "@orch/machinery";
import type { AddressRange } from "./address-range";

export interface ServiceRanges {
  /** One range, or two of different families. The first is the default family. */
  readonly addresses: readonly [AddressRange, AddressRange?];
  /** Range of node ports, both ends inclusive. */
  readonly nodePorts: { readonly first: number; readonly last: number };
}

/** Allocations that the service holds already. It keeps them when the ranges have changed. */
export interface Having extends AllocationContext {
  readonly had: ReadonlySet<AllocationKey>;
}
