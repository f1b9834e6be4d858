// Columns of component statuses. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";
import { column, nameColumn, type Seen } from "../model/columns/column";

export const componentStatusColumns: readonly TableColumn[] = [
  nameColumn,
  column<coreV1.ComponentStatus>("Status", "Whether the component works.", (component) => {
    const condition = health(component);
    if (condition === undefined) return "Unknown";
    return condition.status === "True" ? "Healthy" : "Unhealthy";
  }),
  column<coreV1.ComponentStatus>("Message", "What the component says.", (component) => {
    return health(component)?.message ?? "";
  }),
  column<coreV1.ComponentStatus>("Error", "What went wrong.", (component) => health(component)?.error ?? ""),
];

const health = ({ conditions }: Seen<coreV1.ComponentStatus>) => conditions?.find(({ type }) => type === "Healthy");
