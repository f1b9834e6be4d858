// Validation of pod counts in a status. Source: pkg/apis/core/validation/validation.go.

import { nonNegative, type Rule } from "@orch/apis-model";

export interface ReplicaCounts {
  readonly replicas?: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly observedGeneration?: number;
}

const COUNTS = [
  "replicas",
  "fullyLabeledReplicas",
  "readyReplicas",
  "availableReplicas",
  "terminatingReplicas",
  "observedGeneration",
] as const satisfies readonly (keyof ReplicaCounts)[];

/** Requires non-negative counts, and partial counts not larger than the total. */
export const replicaCounts: Rule<ReplicaCounts> = (status, at, report) => {
  for (const name of COUNTS) nonNegative(status[name] ?? 0, at.field(name), report);
  const { replicas = 0, readyReplicas = 0 } = status;
  for (const name of ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"] as const) {
    const count = status[name] ?? 0;
    if (count > replicas) report.invalid(at.field(name), count, "cannot be greater than status.replicas");
  }
  const { availableReplicas = 0 } = status;
  if (availableReplicas > readyReplicas) {
    report.invalid(at.field("availableReplicas"), availableReplicas, "cannot be greater than readyReplicas");
  }
};
