// Keeps `endpoints[*].deprecatedTopology` read-only for writes through v1: it holds what v1beta1 clients wrote; v1
// clients use `zone` and `nodeName`. Source: field descriptions of discovery.k8s.io/v1;
// pkg/registry/discovery/endpointslice/strategy.go.

import type { RuleContext } from "@orch/apis-model";
import { subdomainErrors } from "@orch/machinery";
import type { discoveryV1, JsonObject } from "@orch/schema";

type Endpoint = { -readonly [Field in keyof discoveryV1.Endpoint]: discoveryV1.Endpoint[Field] };

/** Drops the field from a new slice. */
export function dropTopology(slice: JsonObject, { request }: RuleContext): void {
  if (request?.version.version !== "v1") return;
  for (const endpoint of endpointsOf(slice)) delete endpoint.deprecatedTopology;
}

/** Restores the stored field in an endpoint whose addresses are stored, and drops it from the others. */
export function keepTopology(slice: JsonObject, oldSlice: JsonObject, { request, vocabulary }: RuleContext): void {
  if (request?.version.version !== "v1" || !(hasTopology(slice) || hasTopology(oldSlice))) return;
  const { hostname } = vocabulary.labels;
  const stored = new Map<string, Topology[]>();
  const hosts = new Set<string>();
  for (const { addresses, deprecatedTopology } of endpointsOf(oldSlice)) {
    const key = keyOf(addresses);
    const ofAddresses = stored.get(key);
    if (ofAddresses === undefined) stored.set(key, [deprecatedTopology]);
    else ofAddresses.push(deprecatedTopology);
    if (deprecatedTopology?.[hostname]) hosts.add(deprecatedTopology[hostname]);
  }
  for (const endpoint of endpointsOf(slice)) {
    const kept = stored.get(keyOf(endpoint.addresses))?.shift();
    // An endpoint with other addresses keeps the node that an older client stored only here.
    const host = endpoint.deprecatedTopology?.[hostname];
    delete endpoint.deprecatedTopology;
    if (kept !== undefined) endpoint.deprecatedTopology = kept;
    else if (host && !endpoint.nodeName && hosts.has(host) && subdomainErrors(host).length === 0)
      endpoint.nodeName = host;
  }
}

type Topology = discoveryV1.Endpoint["deprecatedTopology"] | undefined;

const hasTopology = (slice: JsonObject): boolean =>
  endpointsOf(slice).some(({ deprecatedTopology }) => deprecatedTopology !== undefined);

const keyOf = (addresses: Endpoint["addresses"]): string => (addresses ?? []).join();

const endpointsOf = ({ endpoints }: JsonObject): Endpoint[] => (endpoints ?? []) as unknown as Endpoint[];
