// Endpoint slices in the served API version: v1 has fields for node and zone, v1beta1 has the topology map. The rest is
// equal.
// Source: Kubernetes documentation, "Deprecated API Migration Guide", "EndpointSlice".
import { builtInTypes, type ResourceType } from "@orch/client";
import type { coreV1, discoveryV1, discoveryV1beta1, Vocabulary } from "@orch/schema";
import { byDigest, pointer } from "./digest-order";

export type SliceVersion = "v1" | "v1beta1";
export type SliceEndpoint = discoveryV1.Endpoint & Pick<discoveryV1beta1.Endpoint, "topology">;
export type AddressType = "IPv4" | "IPv6";
export type Slice = Omit<discoveryV1.EndpointSlice, "endpoints"> & { endpoints: SliceEndpoint[] | null };
export type SlicePort = discoveryV1.EndpointPort;

export const sliceType = (vocabulary: Vocabulary, version: SliceVersion): ResourceType<Slice> => ({
  ...(builtInTypes(vocabulary.name).endpointSlices as ResourceType<Slice>),
  version,
});

export type EndpointPlace = Pick<SliceEndpoint, "nodeName" | "zone" | "topology">;

/** @param node undefined when it is not known */
export function placeOf(
  nodeName: string | undefined,
  node: coreV1.Node | undefined,
  { version, vocabulary }: { readonly version: SliceVersion; readonly vocabulary: Vocabulary },
): EndpointPlace {
  const labels = node?.metadata?.labels ?? {};
  const { hostname, topologyZone, topologyRegion } = vocabulary.labels;
  const zone = labels[topologyZone];
  switch (version) {
    case "v1":
      return { ...(nodeName ? { nodeName } : {}), ...(zone ? { zone } : {}) };
    case "v1beta1": {
      const region = labels[topologyRegion];
      const topology = {
        ...(nodeName ? { [hostname]: nodeName } : {}),
        ...(zone ? { [topologyZone]: zone } : {}),
        ...(region ? { [topologyRegion]: region } : {}),
      };
      return Object.keys(topology).length > 0 ? { topology } : {};
    }
  }
}

/** Returns the ports as slices have them: each has a name, which may be empty. */
export function slicePorts<Port extends coreV1.EndpointPort | coreV1.ServicePort>(
  ports: readonly Port[],
  numberOf: (port: Port) => number | undefined,
  version: SliceVersion,
): SlicePort[] {
  const found = ports.flatMap((each) => {
    const port = numberOf(each);
    if (port === undefined) return [];
    const { name = "", protocol = "TCP", appProtocol } = each;
    return [{ name, protocol, port, ...(appProtocol === undefined ? {} : { appProtocol }) }];
  });
  return found.sort(byDigest((port) => portText(port, version)));
}

function portText({ name, protocol, port, appProtocol }: SlicePort, version: SliceVersion): string {
  return `(${version}.EndpointPort){Name:${pointer("string", name)} Protocol:${pointer("v1.Protocol", protocol)} Port:${pointer(
    "int32",
    port === undefined ? undefined : String(port),
  )} AppProtocol:${pointer("string", appProtocol)}}`;
}

/** Returns a key that is equal for slices with the same ports in any order. */
export function portsKey(ports: readonly SlicePort[] | null | undefined): string {
  const texts = (ports ?? []).map(({ name = "", protocol = "TCP", port, appProtocol }) =>
    JSON.stringify([name, protocol, port, appProtocol]),
  );
  return texts.sort().join();
}

export function slicesBy(slices: readonly Slice[], keyOf: (slice: Slice) => string): Map<string, Slice[]> {
  const groups = new Map<string, Slice[]>();
  for (const slice of slices) {
    const key = keyOf(slice);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [slice]);
    else group.push(slice);
  }
  return groups;
}
