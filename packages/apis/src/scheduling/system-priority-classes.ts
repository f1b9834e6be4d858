// The classes that every cluster has, of the pods that it and its nodes cannot do without.
// Source: facts, rbac-bootstrap.json "systemPriorityClasses".
import type { JsonObject, Vocabulary } from "@orch/schema";

const NAMES_AND_VALUES = [
  ["system-node-critical", 2000001000, "Pods that must stay on their node, for it cannot do without them."],
  [
    "system-cluster-critical",
    2000000000,
    "Pods that must run, on whichever node, for the cluster cannot do without them.",
  ],
] as const;

/** By name. */
export const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map(
  NAMES_AND_VALUES.map(([name, value]) => [name, value]),
);

/** As they are created where they are missing. */
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
