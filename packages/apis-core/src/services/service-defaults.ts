// Defaults of services. Source: pkg/apis/core/v1/defaults.go.

import { fieldAt, type GatedDefaults, objectAt, objectsAt } from "@orch/apis-model";
import { type coreV1, isObject, type JsonObject, type Vocabulary } from "@orch/schema";
import { isOpen } from "./service-kinds";

/** Default timeout of session affinity: three hours. */
const AFFINITY_SECONDS = 10_800;

export function defaultService(service: JsonObject, _vocabulary: Vocabulary): void {
  const spec = objectAt(service, "spec");
  const { sessionAffinity } = spec;
  if (sessionAffinity === "None") delete spec["sessionAffinityConfig"];
  if (sessionAffinity === "ClientIP") {
    objectAt(objectAt(spec, "sessionAffinityConfig"), "clientIP")["timeoutSeconds"] ??= AFFINITY_SECONDS;
  }
  for (const port of objectsAt(spec, "ports")) if (!port["targetPort"]) port["targetPort"] = port["port"] ?? 0;
  if (isOpen(spec as coreV1.ServiceSpec) && !spec["externalTrafficPolicy"]) spec["externalTrafficPolicy"] = "Cluster";
}

/** Sets the mode of addresses of load balancers. Source: KEP-1860, "Make Kubernetes aware of the LoadBalancer behaviour". */
export function defaultAddressMode(service: JsonObject): void {
  const balancer = fieldAt(service, ["status", "loadBalancer"]);
  if (fieldAt(service, ["spec", "type"]) !== "LoadBalancer" || !isObject(balancer)) return;
  for (const ingress of objectsAt(balancer, "ingress")) if (ingress["ip"]) ingress["ipMode"] ??= "VIP";
}

export const gatedServiceDefaults: readonly GatedDefaults[] = [
  { gate: "IPv6DualStack", then: defaultFamilies },
  { gate: "ServiceInternalTrafficPolicy", then: defaultInternalTraffic, fills: [{ name: "internalTrafficPolicy" }] },
  {
    gate: "ServiceLBNodePortControl",
    then: defaultNodePorts,
    fills: [{ name: "allocateLoadBalancerNodePorts", of: '"type":"LoadBalancer"' }],
  },
];

/** Sets the policy RequireDualStack when there are two addresses or families. */
function defaultFamilies(service: JsonObject): void {
  const spec = objectAt(service, "spec");
  if (spec["type"] === "ExternalName") return;
  if (spec["ipFamilyPolicy"] == null && (isPair(spec["clusterIPs"]) || isPair(spec["ipFamilies"]))) {
    spec["ipFamilyPolicy"] = "RequireDualStack";
  }
  const { ipFamilies, ipFamilyPolicy } = spec;
  if (ipFamilyPolicy !== "RequireDualStack" || !Array.isArray(ipFamilies) || ipFamilies.length !== 1) return;
  spec["ipFamilies"] = [ipFamilies[0] ?? "", ipFamilies[0] === "IPv4" ? "IPv6" : "IPv4"];
}

function defaultInternalTraffic(service: JsonObject): void {
  const spec = objectAt(service, "spec");
  if (spec["type"] !== "ExternalName") spec["internalTrafficPolicy"] ??= "Cluster";
}

function defaultNodePorts(service: JsonObject): void {
  const spec = objectAt(service, "spec");
  if (spec["type"] === "LoadBalancer") spec["allocateLoadBalancerNodePorts"] ??= true;
}

const isPair = (list: unknown): boolean => Array.isArray(list) && list.length === 2;
