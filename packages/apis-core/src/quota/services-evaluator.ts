// Usage of services. Source: pkg/quota/v1/evaluator/core/services.go.

import { objectsAt } from "@orch/apis-model";
import { existsIn, isObject, type JsonObject } from "@orch/schema";
import { countedMeta, type QuotaEvaluator } from "./evaluator";
import { ONE, whole, ZERO } from "./usage";

const NAMES: ReadonlySet<string> = new Set([
  "count/services",
  "services",
  "services.nodeports",
  "services.loadbalancers",
]);

/** Releases that count the node ports of a load balancer service which does not request any, when it has some. */
const COUNTS_HELD_PORTS = { since: "1.24" };

export function servicesEvaluator(release: string): QuotaEvaluator {
  const countsHeld = existsIn(COUNTS_HELD_PORTS, release);

  function nodePorts(spec: JsonObject): number {
    const ports = objectsAt(spec, "ports");
    switch (spec["type"]) {
      case "NodePort":
        return ports.length;
      case "LoadBalancer":
        return countsHeld && spec["allocateLoadBalancerNodePorts"] === false
          ? ports.filter(({ nodePort }) => typeof nodePort === "number" && nodePort !== 0).length
          : ports.length;
      default:
        return 0;
    }
  }

  return {
    resource: { group: "", resource: "services" },
    chargesUpdates: true,
    knows: (name) => NAMES.has(name),
    usage({ spec }) {
      const given = isObject(spec) ? spec : {};
      return new Map([
        ["count/services", ONE],
        ["services", ONE],
        ["services.nodeports", whole(nodePorts(given))],
        ["services.loadbalancers", given["type"] === "LoadBalancer" ? ONE : ZERO],
      ]);
    },
    essence(service) {
      const { spec } = service;
      const metadata = countedMeta(service);
      if (!isObject(spec)) return { metadata };
      const { type = "ClusterIP", allocateLoadBalancerNodePorts } = spec;
      const ports = objectsAt(spec, "ports").map(({ nodePort = 0 }) => ({ nodePort }));
      const kept = { type, ports, ...(allocateLoadBalancerNodePorts === false && { allocateLoadBalancerNodePorts }) };
      return { metadata, spec: kept };
    },
  };
}
