// The kinds of service that rules tell apart.
import type { coreV1 } from "@orch/schema";

interface Spec {
  readonly type?: string | undefined;
  readonly clusterIP?: string | undefined;
  readonly clusterIPs?: coreV1.ServiceSpec["clusterIPs"] | undefined;
}

/** Services of older releases have no list. */
export const addressesOf = ({ clusterIP, clusterIPs }: Spec): readonly string[] => {
  if (clusterIPs !== undefined && clusterIPs.length > 0) return clusterIPs;
  return clusterIP ? [clusterIP] : [];
};

/** Has no address of its own, and wants none. */
export const isHeadless = (spec: Spec): boolean => addressesOf(spec)[0] === "None";

/** Can be reached through a port of every node. */
export const isOpen = ({ type }: Spec): boolean => type === "NodePort" || type === "LoadBalancer";
