// Columns of pod disruption budgets. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { policyV1 } from "@orch/schema";
import { ageColumn, column, integerColumn, nameColumn } from "../model/columns/column";

type Budget = policyV1.PodDisruptionBudget;

export const disruptionBudgetColumns: readonly TableColumn[] = [
  nameColumn,
  column<Budget>("Min Available", "How many pods must stay.", ({ spec }) => String(spec?.minAvailable ?? "N/A")),
  column<Budget>("Max Unavailable", "How many pods may be missing.", ({ spec }) => {
    return String(spec?.maxUnavailable ?? "N/A");
  }),
  integerColumn<Budget>("Allowed Disruptions", "How many pods may go now.", ({ status }) => {
    return status?.disruptionsAllowed ?? 0;
  }),
  ageColumn,
];
