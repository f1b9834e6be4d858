// Keys of the allocations of services in the store, one for each address and for each node port.

import { type AllocationKey, canonicalAddress } from "@orch/machinery";

export const ADDRESSES = "ranges/serviceips";
export const NODE_PORTS = "ranges/servicenodeports";

/** @param address in canonical form */
export const canonicalAddressKey = (address: string): AllocationKey => `${ADDRESSES}/${address}`;
export const addressKey = (address: string): AllocationKey => canonicalAddressKey(canonicalAddress(address));
export const portKey = (port: number): AllocationKey => `${NODE_PORTS}/${port}`;

/** Returns the address of an allocation; undefined for a port. */
export const addressIn = (allocation: AllocationKey): string | undefined =>
  allocation.startsWith(`${ADDRESSES}/`) ? allocation.slice(ADDRESSES.length + 1) : undefined;

export const portIn = (allocation: AllocationKey): number => Number(allocation.slice(NODE_PORTS.length + 1));

/** Subject of an allocation of a service. */
export type ServiceAllocation =
  | { readonly kind: "address"; readonly address: string }
  | { readonly kind: "port"; readonly port: number };

export function serviceAllocationOf(allocation: AllocationKey): ServiceAllocation {
  const address = addressIn(allocation);
  return address === undefined ? { kind: "port", port: portIn(allocation) } : { kind: "address", address };
}
