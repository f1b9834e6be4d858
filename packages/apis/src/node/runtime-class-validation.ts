// Validation of runtime classes. Source: pkg/apis/node/validation/validation.go.

import { containerResources, toleration } from "@orch/apis-core";
import { each, fields, labels, type Rule, updateValidator, validator } from "@orch/apis-model";
import type { coreV1, nodeV1 } from "@orch/schema";

const tolerations = each(toleration);

/** Rejects tolerations that differ only in their duration. */
const distinct: Rule<readonly coreV1.Toleration[]> = (list, at, report) => {
  const seen = new Set<string>();
  list.forEach((each, position) => {
    const { key = "", operator = "", value = "", effect = "" } = each;
    const text = JSON.stringify([key, operator, value, effect]);
    if (seen.has(text)) report.duplicate(at.item(position), each);
    seen.add(text);
  });
};

/** Validates the overhead as the limits of a container; errors use that path. */
const overhead: Rule<nodeV1.Overhead> = ({ podFixed }, at, report) => {
  if (podFixed !== undefined) containerResources(podFixed, at.field("limits"), report);
};

const scheduling = fields<nodeV1.Scheduling>({
  nodeSelector: labels,
  tolerations: (list, at, report) => {
    // Before 1.27, the path of an error has the field twice.
    tolerations(list, report.features.since("1.27") ? at : at.field("tolerations"), report);
    distinct(list, at, report);
  },
});

/** Validates a new class. `proto/` declares the rules of the handler. */
export const validateNewRuntimeClass = validator(fields<nodeV1.RuntimeClass>({ overhead, scheduling }));

/** Validates an update. Before 1.27, updates meet only the declared rules. */
export const validateRuntimeClassUpdate = updateValidator<nodeV1.RuntimeClass>((next, _old, at, report) => {
  if (!report.features.since("1.27")) return;
  if (next.overhead !== undefined) overhead(next.overhead, at.field("overhead"), report);
  if (next.scheduling !== undefined) scheduling(next.scheduling, at.field("scheduling"), report);
});
