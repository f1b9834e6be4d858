// The kinds of service that rules tell apart.
import type { coreV1 } from "@orch/schema";

type Spec = {
  readonly [F in "type" | "clusterIP" | "clusterIPs" | "externalTrafficPolicy" | "allocateLoadBalancerNodePorts"]?:
    | coreV1.ServiceSpec[F]
    | undefined;
};

/** Services of older releases have no list. */
export const addressesOf = ({ clusterIP, clusterIPs }: Spec): readonly string[] => {
  if (clusterIPs !== undefined && clusterIPs.length > 0) return clusterIPs;
  return clusterIP ? [clusterIP] : [];
};

/** Has no address of its own, and wants none. */
export const isHeadless = (spec: Spec): boolean => addressesOf(spec)[0] === "None";

/** Can be reached through a port of every node. */
export const isOpen = ({ type }: Spec): boolean => type === "NodePort" || type === "LoadBalancer";

/** A load balancer that reaches pods without node ports. */
export const isShutOff = ({ type, allocateLoadBalancerNodePorts }: Spec): boolean =>
  type === "LoadBalancer" && allocateLoadBalancerNodePorts === false;

/** Its load balancer asks nodes which of them have a pod of it, at a port for that. */
export const needsHealthCheck = ({ type, externalTrafficPolicy }: Spec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";
