// Priority classes that every cluster has, for pods that the cluster and its nodes depend on. Source:
// pkg/apis/scheduling/v1/helpers.go.
import type { JsonObject, Vocabulary } from "@orch/schema";

const NAMES_AND_VALUES = [
  ["system-node-critical", 2000001000, "Pods that must stay on their node, for it cannot do without them."],
  [
    "system-cluster-critical",
    2000000000,
    "Pods that must run, on whichever node, for the cluster cannot do without them.",
  ],
] as const;

/** Values keyed by name. */
export const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map(
  NAMES_AND_VALUES.map(([name, value]) => [name, value]),
);

/** Returns the objects to create when they are missing. */
export const systemPriorityClasses = ({ groups }: Vocabulary): readonly JsonObject[] =>
  NAMES_AND_VALUES.map(([name, value, description]) => ({
    kind: "PriorityClass",
    apiVersion: `${groups.scheduling}/v1`,
    metadata: { name },
    value,
    globalDefault: false,
    description,
    preemptionPolicy: "PreemptLowerPriority",
  }));
