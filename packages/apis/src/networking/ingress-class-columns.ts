// Columns of ingress classes. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { networkingV1 } from "@orch/schema";
import { ageColumn, column, nameColumn, type Seen } from "../model/columns/column";

type IngressClass = networkingV1.IngressClass;

export const ingressClassColumns: readonly TableColumn[] = [
  nameColumn,
  column<IngressClass>("Controller", "Who sets ingresses of the class up.", ({ spec }) => spec?.controller ?? ""),
  column<IngressClass>("Parameters", "The object that holds settings for the class.", parametersText),
  ageColumn,
];

function parametersText({ spec }: Seen<IngressClass>): string {
  if (!spec?.parameters) return "<none>";
  const { kind, apiGroup, name } = spec.parameters;
  return apiGroup ? `${kind}.${apiGroup}/${name}` : `${kind}/${name}`;
}
