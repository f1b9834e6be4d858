import { type BuiltInResource, fieldAt, flag, objectAt, type RuleContext, roundResources } from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";
import { nodeColumns } from "./node-columns";
import { nodeErrors, nodeStatusErrors, nodeUpdateErrors } from "./node-validation";

export const nodes = {
  group: "core",
  kind: "Node",
  plural: "nodes",
  shortNames: ["no"],
  scope: "Cluster",
  versions: [{ version: "v1" }],
  defaults: { then: defaultAmounts },
  rules: {
    nameFormat: "subdomain",
    keepOnUpdate: ["status"],
    gated: {
      InPlacePodVerticalScalingSchedulerPreemption: ["spec.podPreemptionPolicy"],
      NodeDeclaredFeatures: ["status.declaredFeatures"],
    },
    create: (node, context) => keepOneFamily(node, {}, context),
    update: keepOneFamily,
    validate: nodeErrors,
    strictFormats: { "spec.podCIDRs[]": "range" },
    validateUpdate: nodeUpdateErrors,
  },
  subresources: { status: { keeps: ["spec"], update: dropDeclared, validateUpdate: nodeStatusErrors } },
  connections: { proxy: { passes: "requests", options: "NodeProxyOptions" } },
  selectableFields: { "spec.unschedulable": flag("spec.unschedulable") },
  columns: nodeColumns,
} as const satisfies BuiltInResource;

/** Keeps one pod CIDR while dual stack is disabled. */
function keepOneFamily(node: JsonObject, old: JsonObject, { features }: RuleContext): void {
  const spec = objectAt(node, "spec");
  const { podCIDRs: ranges } = spec;
  if (!features.isOff("IPv6DualStack") || !Array.isArray(ranges) || ranges.length < 2) return;
  const before = fieldAt(old, ["spec", "podCIDRs"]);
  if (!Array.isArray(before) || before.length < 2) spec["podCIDRs"] = ranges.slice(0, 1);
}

/** Drops declared features while they are disabled, unless the node has some already. */
function dropDeclared(node: JsonObject, old: JsonObject, { features }: RuleContext): void {
  if (!features.isOff("NodeDeclaredFeatures") || fieldAt(old, ["status", "declaredFeatures"]) !== undefined) return;
  delete objectAt(node, "status")["declaredFeatures"];
}

/** Rounds the capacity and sets the default of allocatable to it. */
function defaultAmounts(node: JsonObject): void {
  const status = objectAt(node, "status");
  roundResources(status, "capacity");
  const { allocatable, capacity } = status;
  if (allocatable == null && isObject(capacity) && Object.keys(capacity).length > 0)
    status["allocatable"] = { ...capacity };
  roundResources(status, "allocatable");
}
