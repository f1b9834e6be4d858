// Kinds of services that rules distinguish.
import type { Features } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";

type Spec = {
  readonly [F in
    | "type"
    | "externalIPs"
    | "clusterIP"
    | "clusterIPs"
    | "externalTrafficPolicy"
    | "allocateLoadBalancerNodePorts"]?: coreV1.ServiceSpec[F] | undefined;
};

/** Returns the cluster IPs. Services of older releases have no list. */
export const addressesOf = ({ clusterIP, clusterIPs }: Spec): readonly string[] => {
  if (clusterIPs !== undefined && clusterIPs.length > 0) return clusterIPs;
  return clusterIP ? [clusterIP] : [];
};

/** Returns whether the service is headless: it has no cluster IP. */
export const isHeadless = (spec: Spec): boolean => addressesOf(spec)[0] === "None";

/** Returns whether the service type uses node ports. */
export const isOpen = ({ type }: Spec): boolean => type === "NodePort" || type === "LoadBalancer";

/** Returns whether other networks reach the service: by node ports, or since 1.29 by external addresses. */
export const isReachable = (spec: Spec, features: Features): boolean =>
  isOpen(spec) || (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0 && features.since("1.29"));

/** Returns whether the service is a load balancer without node ports. */
export const isShutOff = ({ type, allocateLoadBalancerNodePorts }: Spec): boolean =>
  type === "LoadBalancer" && allocateLoadBalancerNodePorts === false;

/** Returns whether the service needs a health check node port. */
export const needsHealthCheck = ({ type, externalTrafficPolicy }: Spec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";
