// Hints of endpoints by the traffic distribution of the service: proxies prefer endpoints of their zone or node. Source:
// KEP-4444, "Traffic Distribution to Services"; KEP-3015, "PreferSameZone and PreferSameNode Traffic Distribution".
import type { coreV1, discoveryV1, Vocabulary } from "@orch/schema";
import type { EndpointRules } from "./endpoint-rules";
import type { EndpointPlace } from "./slice-form";

const CLOSE: ReadonlySet<string> = new Set(["PreferClose", "PreferSameNode", "PreferSameZone"]);

/** Returns whether the hints of the service's endpoints are kept by this controller. */
export function keepsHints(
  { metadata, spec }: coreV1.Service,
  { setsHints }: EndpointRules,
  { annotations }: Vocabulary,
): boolean {
  if (!setsHints) return false;
  if (CLOSE.has(spec?.trafficDistribution ?? "")) return true;
  // Hints that depend on the load of zones are those of another controller.
  const asked = metadata?.annotations ?? {};
  return (
    asked[annotations.serviceTopologyMode] === undefined && asked[annotations.serviceTopologyAwareHints] === undefined
  );
}

/** Returns the hints of a ready endpoint; undefined when it has none. */
export function hintsOf(
  { spec }: coreV1.Service,
  { nodeName, zone }: EndpointPlace,
): discoveryV1.EndpointHints | undefined {
  const distribution = spec?.trafficDistribution ?? "";
  if (!CLOSE.has(distribution)) return undefined;
  const byNode = distribution === "PreferSameNode" && nodeName !== undefined;
  if (zone === undefined && !byNode) return undefined;
  return {
    ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
    ...(byNode ? { forNodes: [{ name: nodeName }] } : {}),
  };
}
