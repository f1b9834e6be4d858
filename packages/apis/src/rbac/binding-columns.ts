// Columns of role bindings and cluster role bindings. Source: pkg/printers/internalversion/printers.go.

import { ageColumn, type CellObject, column, nameColumn, wide } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { rbacV1 } from "@orch/schema";

type Binding = rbacV1.RoleBinding | rbacV1.ClusterRoleBinding;
type Subject = CellObject<rbacV1.Subject>;

export const bindingColumns: readonly TableColumn[] = [
  nameColumn,
  column<Binding>(
    "Role",
    "What the subjects may do.",
    ({ roleRef }) => `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`,
  ),
  ageColumn,
  wide(
    column<Binding>(
      "Users",
      "Which users may do it.",
      subjects("User", ({ name }) => name ?? ""),
    ),
  ),
  wide(
    column<Binding>(
      "Groups",
      "Which groups of users may do it.",
      subjects("Group", ({ name }) => name ?? ""),
    ),
  ),
  wide(
    column<Binding>(
      "ServiceAccounts",
      "Which service accounts may do it.",
      subjects("ServiceAccount", ({ namespace, name }) => `${namespace ?? ""}/${name ?? ""}`),
    ),
  ),
];

function subjects(kind: string, textOf: (subject: Subject) => string) {
  return (binding: CellObject<Binding>): string => {
    const ofKind = (binding.subjects ?? []).filter((subject) => subject.kind === kind);
    return ofKind.map(textOf).join(", ");
  };
}
