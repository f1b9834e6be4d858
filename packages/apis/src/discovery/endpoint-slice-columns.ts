// Columns of endpoint slices. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { discoveryV1 } from "@orch/schema";
import { ageColumn, column, nameColumn } from "../model/columns/column";
import { shortenedList } from "../model/columns/column-texts";

type EndpointSlice = discoveryV1.EndpointSlice;

export const endpointSliceColumns: readonly TableColumn[] = [
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
