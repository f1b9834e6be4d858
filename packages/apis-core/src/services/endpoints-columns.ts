// Columns of endpoints. Source: pkg/printers/internalversion/printers.go.

import { ageColumn, type CellObject, column, nameColumn, shortenedText } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";

export const endpointsColumns: readonly TableColumn[] = [
  nameColumn,
  column<coreV1.Endpoints>("Endpoints", "Where the pods that are ready can be reached.", ({ subsets }) => {
    return subsets?.length ? endpointsText(subsets) : "<none>";
  }),
  ageColumn,
];

type Subset = CellObject<coreV1.EndpointSubset>;

function endpointsText(subsets: readonly Subset[]): string {
  const count = subsets.reduce((sum, { addresses, ports }) => sum + (addresses?.length ?? 0) * (ports?.length || 1), 0);
  return shortenedText(readyEndpoints(subsets), count);
}

/** Generates every address with every port, which may be very many; addresses alone when there are no ports. */
function* readyEndpoints(subsets: readonly Subset[]): Generator<string> {
  for (const { addresses, ports } of subsets) {
    const hosts = (addresses ?? []).map(({ ip }) => ip ?? "");
    if (!ports?.length) yield* hosts;
    else for (const { port } of ports) for (const host of hosts) yield `${bracketed(host)}:${port}`;
  }
}

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);
