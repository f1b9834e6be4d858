import type { BuiltInResource } from "../built-in-resource";
import { flag } from "../selectable-fields";
import { nodeColumns } from "./node-columns";

export const nodes = {
  group: "core",
  kind: "Node",
  plural: "nodes",
  shortNames: ["no"],
  scope: "Cluster",
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", keepOnUpdate: ["status"] },
  subresources: { status: { keeps: ["spec"] } },
  laterSubresources: {
    proxy: {
      group: "core",
      version: "v1",
      kind: "NodeProxyOptions",
      verbs: ["create", "delete", "get", "patch", "update"],
    },
  },
  selectableFields: { "spec.unschedulable": flag("spec.unschedulable") },
  columns: nodeColumns,
} as const satisfies BuiltInResource;
