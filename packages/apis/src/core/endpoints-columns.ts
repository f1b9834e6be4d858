// What tables show of a service's endpoints. Source: facts, columns.json "Endpoints".
import type { TableColumn } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import { ageColumn, column, nameColumn, type Seen } from "../columns/column";
import { shortenedList } from "../columns/shortened-list";

export const endpointsColumns: readonly TableColumn[] = [
  nameColumn,
  column<coreV1.Endpoints>("Endpoints", "Where the pods that are ready can be reached.", ({ subsets }) => {
    return subsets?.length ? shortenedList(subsets.flatMap(readyEndpoints)) : "<none>";
  }),
  ageColumn,
];

/** Every port at every address; the addresses alone where there are no ports. */
function readyEndpoints({ addresses, ports }: Seen<coreV1.EndpointSubset>): readonly string[] {
  const hosts = (addresses ?? []).map(({ ip }) => ip ?? "");
  if (!ports?.length) return hosts;
  return ports.flatMap(({ port }) => hosts.map((host) => `${host.includes(":") ? `[${host}]` : host}:${port}`));
}
