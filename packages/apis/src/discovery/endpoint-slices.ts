import type { BuiltInResource } from "../model/built-in-resource";
import { endpointSliceColumns } from "./endpoint-slice-columns";
import { validateEndpointSlice, validateEndpointSliceUpdate } from "./endpoint-slice-validation";
import { dropTopology, keepTopology } from "./read-only-topology";
import { topologyConversion } from "./topology-conversion";

export const endpointSlices = {
  group: "discovery",
  kind: "EndpointSlice",
  plural: "endpointslices",
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.21" },
    {
      version: "v1beta1",
      introduced: "1.16",
      deprecated: "1.21",
      removed: "1.25",
      replacement: "discovery/v1",
      conversion: topologyConversion,
    },
  ],
  rules: {
    nameFormat: "subdomain",
    gated: {
      EndpointSliceNodeName: ["endpoints[].nodeName"],
      EndpointSliceTerminatingCondition: ["endpoints[].conditions.serving", "endpoints[].conditions.terminating"],
      TopologyAwareHints: ["endpoints[].hints"],
    },
    generationFrom: ["endpoints", "ports", "addressType"],
    create: dropTopology,
    update: keepTopology,
    validate: validateEndpointSlice,
    validateUpdate: validateEndpointSliceUpdate,
  },
  columns: endpointSliceColumns,
} as const satisfies BuiltInResource;
