// Addresses of a load balancer in table columns. Source: pkg/printers/internalversion/printers.go.
import type { networkingV1 } from "@orch/schema";
import type { Seen } from "../model/columns/column";

/** Returns the distinct addresses, sorted; the host name when there is no address. */
export function loadBalancerAddresses(
  status: Seen<networkingV1.IngressLoadBalancerStatus> | null | undefined,
): readonly string[] {
  const addresses = (status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
  return [...new Set(addresses.filter((address) => address !== ""))].sort();
}
