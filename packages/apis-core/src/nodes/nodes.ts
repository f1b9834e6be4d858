import {
  type BuiltInResource,
  fieldAt,
  flag,
  type GatedFields,
  objectAt,
  type RuleContext,
  roundResources,
} from "@orch/apis-model";
import { isObject, type JsonObject } from "@orch/schema";
import { nodeColumns } from "./node-columns";
import { nodeErrors, nodeStatusErrors, nodeUpdateErrors } from "./node-validation";
import { nodeWarnings } from "./node-warnings";

/** Fields of the status that depend on feature gates. A new node has a status too. */
const STATUS_FIELDS: GatedFields = {
  NodeDeclaredFeatures: ["status.declaredFeatures"],
  SupplementalGroupsPolicy: ["status.features"],
};

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
    declared: true,
    keepOnUpdate: ["status"],
    gated: {
      InPlacePodVerticalScalingSchedulerPreemption: ["spec.podPreemptionPolicy"],
      ...STATUS_FIELDS,
    },
    create: (node, context) => {
      joinBlocks(node, context);
      dropConfigSource(node, {}, context);
      if (withoutDynamicConfig(context)) dropConfigStatus(node);
      keepOneFamily(node, {}, context);
    },
    update: (node, old, context) => {
      joinBlocks(node, context);
      dropConfigSource(node, old, context);
      keepOneFamily(node, old, context);
    },
    warnings: nodeWarnings,
    validate: nodeErrors,
    strictFormats: { "spec.podCIDRs[]": "range" },
    validateUpdate: nodeUpdateErrors,
  },
  subresources: {
    status: { keeps: ["spec"], gated: STATUS_FIELDS, update: prepareStatus, validateUpdate: nodeStatusErrors },
  },
  connections: { proxy: { passes: "requests", options: "NodeProxyOptions" } },
  selectableFields: { "spec.unschedulable": flag("spec.unschedulable") },
  columns: nodeColumns,
} as const satisfies BuiltInResource;

/** Returns whether the release has no dynamic kubelet configuration any more. Source: KEP-281. */
const withoutDynamicConfig = ({ features }: RuleContext): boolean => features.since("1.26");

/** Drops the source of a kubelet's configuration in releases without it, unless the node has one already. */
function dropConfigSource(node: JsonObject, old: JsonObject, context: RuleContext): void {
  if (!withoutDynamicConfig(context) || fieldAt(old, ["spec", "configSource"]) !== undefined) return;
  delete objectAt(node, "spec")["configSource"];
}

/** Drops the status of a kubelet's configuration. A node without a status gets none. */
function dropConfigStatus({ status }: JsonObject): void {
  if (isObject(status)) delete status["config"];
}

/** Makes the first pod CIDR and the single field equal. The single field wins. */
function joinBlocks(node: JsonObject, { features }: RuleContext): void {
  if (!features.since("1.36")) return;
  const spec = objectAt(node, "spec");
  const { podCIDR, podCIDRs } = spec;
  const first = Array.isArray(podCIDRs) ? podCIDRs[0] : undefined;
  if (typeof podCIDR === "string" && podCIDR !== "") {
    if (first !== podCIDR) spec["podCIDRs"] = [podCIDR];
  } else if (typeof first === "string" && first !== "") spec["podCIDR"] = first;
}

/** Keeps one pod CIDR while dual stack is disabled. */
function keepOneFamily(node: JsonObject, old: JsonObject, { features }: RuleContext): void {
  const spec = objectAt(node, "spec");
  const { podCIDRs: ranges } = spec;
  if (!features.isOff("IPv6DualStack") || !Array.isArray(ranges) || ranges.length < 2) return;
  const before = fieldAt(old, ["spec", "podCIDRs"]);
  if (!Array.isArray(before) || before.length < 2) spec["podCIDRs"] = ranges.slice(0, 1);
}

function prepareStatus(node: JsonObject, old: JsonObject, context: RuleContext): void {
  if (withoutDynamicConfig(context) && fieldAt(old, ["status", "config"]) === undefined) {
    dropConfigStatus(node);
  }
  dropDeclared(node, old, context);
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
