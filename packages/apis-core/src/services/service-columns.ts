// Columns of services. Source: pkg/printers/internalversion/printers.go.

import {
  ageColumn,
  type CellObject,
  column,
  labelsText,
  loadBalancerAddresses,
  nameColumn,
  wide,
} from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";

type Service = CellObject<coreV1.Service>;

export const serviceColumns: readonly TableColumn[] = [
  nameColumn,
  column<coreV1.Service>("Type", "Who the service can be reached by.", ({ spec }) => spec?.type ?? ""),
  column<coreV1.Service>("Cluster-IP", "The address of the service inside the cluster.", ({ spec }) => {
    return spec?.clusterIPs?.[0] || spec?.clusterIP || "<none>";
  }),
  column<coreV1.Service>("External-IP", "Where the service is reached from outside the cluster.", externalAddresses),
  column<coreV1.Service>("Port(s)", "The ports of the service, and those of the nodes that lead to it.", ports),
  ageColumn,
  wide(
    column<coreV1.Service>("Selector", "The labels of the pods that answer.", ({ spec }) => labelsText(spec?.selector)),
  ),
];

function externalAddresses({ spec, status }: Service): string {
  const own = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return own.join(",") || "<none>";
    case "LoadBalancer":
      return [...loadBalancerAddresses(status?.loadBalancer), ...own].join(",") || "<pending>";
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function ports({ spec }: Service): string {
  const texts = (spec?.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return texts.join(",") || "<none>";
}
