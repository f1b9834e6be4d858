// Columns of API services. Source: staging/src/k8s.io/kube-aggregator/pkg/registry/apiservice/etcd/etcd.go.
import type { TableColumn } from "@orch/machinery";
import type { apiregistrationV1 } from "@orch/schema";
import { ageColumn, column, nameColumn, type Seen } from "../model/columns/column";

type Registration = apiregistrationV1.APIService;

export const apiServiceColumns: readonly TableColumn[] = [
  nameColumn,
  column<Registration>("Service", "Who answers: a service, or this server itself.", ({ spec }) => {
    return spec?.service ? `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}` : "Local";
  }),
  column<Registration>("Available", "Whether it answers, and why not.", availability),
  ageColumn,
];

function availability({ status }: Seen<Registration>): string {
  const condition = status?.conditions?.find(({ type }) => type === "Available");
  if (condition === undefined) return "Unknown";
  if (condition.status === "True" || !condition.reason) return condition.status ?? "";
  return `${condition.status} (${condition.reason})`;
}
