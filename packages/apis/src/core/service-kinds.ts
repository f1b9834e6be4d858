// The kinds of service that rules tell apart.
import type { coreV1 } from "@orch/schema";

type Spec = { readonly type?: string | undefined; readonly clusterIPs?: coreV1.ServiceSpec["clusterIPs"] | undefined };

/** Has no address of its own, and wants none. */
export const isHeadless = ({ clusterIPs = [] }: Spec): boolean => clusterIPs[0] === "None";

/** Can be reached through a port of every node. */
export const isOpen = ({ type }: Spec): boolean => type === "NodePort" || type === "LoadBalancer";
