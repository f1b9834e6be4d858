import {
  ageColumn,
  type BuiltInResource,
  column,
  nameColumn,
  objectsAt,
  shortenedList,
  type WarningContext,
  WarningList,
  warnOfAddress,
} from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { discoveryV1, JsonObject } from "@orch/schema";
import { validateEndpointSlice } from "./endpoint-slice-validation";
import { dropTopology, keepTopology } from "./read-only-topology";
import { topologyConversion } from "./topology-conversion";

type EndpointSlice = discoveryV1.EndpointSlice;

/** Columns of endpoint slices. Source: pkg/printers/internalversion/printers.go. */
const endpointSliceColumns: readonly TableColumn[] = [
  nameColumn,
  column<EndpointSlice>("AddressType", "What its addresses are.", ({ addressType }) => addressType ?? ""),
  column<EndpointSlice>("Ports", "The ports of each endpoint.", ({ ports }) => {
    return shortenedList((ports ?? []).map(({ port, name }) => String(port ?? name ?? "*"))) || "<unset>";
  }),
  column<EndpointSlice>("Endpoints", "The addresses of the endpoints.", ({ endpoints }) => {
    return shortenedList((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])) || "<unset>";
  }),
  ageColumn,
];

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
    strictFormats: { "endpoints[].addresses[]": "address" },
    warnings: endpointSliceWarnings,
    gated: {
      EndpointSliceNodeName: ["endpoints[].nodeName"],
      EndpointSliceTerminatingCondition: ["endpoints[].conditions.serving", "endpoints[].conditions.terminating"],
      TopologyAwareHints: ["endpoints[].hints"],
    },
    generationFrom: ["endpoints", "ports", "addressType"],
    create: dropTopology,
    update: keepTopology,
    validate: validateEndpointSlice,
    declared: true,
  },
  columns: endpointSliceColumns,
} as const satisfies BuiltInResource;

/** Returns the warnings about a slice: a deprecated type of a new one, and addresses that are not in canonical form. */
function endpointSliceWarnings(slice: JsonObject, context: WarningContext): readonly string[] {
  const list = new WarningList(context);
  if (!list.since("1.33")) return list.texts;
  const isNew = context.old === undefined || !list.since("1.36");
  if (slice["addressType"] === "FQDN" && isNew) list.add("spec.addressType", "FQDN endpoints are deprecated");
  for (const [position, { addresses }] of objectsAt(slice, "endpoints").entries()) {
    if (!Array.isArray(addresses) || !list.since("1.36")) continue;
    for (const [nth, address] of addresses.entries()) {
      warnOfAddress(address, `endpoints[${position}].addresses[${nth}]`, list);
    }
  }
  return list.texts;
}
