import type { JsonObject } from "@orch/schema";
import type { BuiltInResource } from "../built-in-resource";
import { roundResources } from "../defaults/resource-list";
import { isObject, objectAt } from "../field-path";
import { flag } from "../selectable-fields";
import { nodeErrors, nodeStatusErrors, nodeUpdateErrors } from "../validation/core/node";
import { nodeColumns } from "./node-columns";

export const nodes = {
  group: "core",
  kind: "Node",
  plural: "nodes",
  shortNames: ["no"],
  scope: "Cluster",
  versions: [{ version: "v1" }],
  defaults: { then: defaultAmounts },
  rules: { nameFormat: "subdomain", keepOnUpdate: ["status"], validate: nodeErrors, validateUpdate: nodeUpdateErrors },
  subresources: { status: { keeps: ["spec"], validateUpdate: nodeStatusErrors } },
  connections: { proxy: { passes: "requests", options: "NodeProxyOptions" } },
  selectableFields: { "spec.unschedulable": flag("spec.unschedulable") },
  columns: nodeColumns,
} as const satisfies BuiltInResource;

/** A node that keeps nothing back offers all that it has. */
function defaultAmounts(node: JsonObject): void {
  const status = objectAt(node, "status");
  roundResources(status, "capacity");
  const { allocatable, capacity } = status;
  if (allocatable == null && isObject(capacity) && Object.keys(capacity).length > 0)
    status["allocatable"] = { ...capacity };
  roundResources(status, "allocatable");
}
