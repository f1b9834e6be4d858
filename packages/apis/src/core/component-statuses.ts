import type { BuiltInResource } from "../model/built-in-resource";
import { componentStatusColumns } from "./component-status-columns";

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
