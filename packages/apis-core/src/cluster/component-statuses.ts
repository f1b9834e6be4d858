import { type BuiltInResource, type CellObject, column, nameColumn } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { coreV1 } from "@orch/schema";

/** Columns of component statuses. Source: pkg/printers/internalversion/printers.go. */
const componentStatusColumns: readonly TableColumn[] = [
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

const health = ({ conditions }: CellObject<coreV1.ComponentStatus>) =>
  conditions?.find(({ type }) => type === "Healthy");

export const componentStatuses = {
  group: "core",
  kind: "ComponentStatus",
  plural: "componentstatuses",
  shortNames: ["cs"],
  scope: "Cluster",
  virtual: true,
  verbs: ["get", "list"],
  versions: [{ version: "v1", deprecated: "1.19" }],
  rules: { nameFormat: "subdomain" },
  columns: componentStatusColumns,
} as const satisfies BuiltInResource;
