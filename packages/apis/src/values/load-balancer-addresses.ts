// Where a load balancer can be reached. Source: facts, columns.json "LB".
import type { networkingV1 } from "@orch/schema";
import type { Seen } from "../model/columns/column";

/** Sorted, each once: addresses, and names where there is no address. */
export function loadBalancerAddresses(
  status: Seen<networkingV1.IngressLoadBalancerStatus> | null | undefined,
): readonly string[] {
  const addresses = (status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
  return [...new Set(addresses.filter((address) => address !== ""))].sort();
}
