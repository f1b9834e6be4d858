// Validation of runtime classes. Source: pkg/apis/node/validation/validation.go.

import { containerResources, toleration } from "@orch/apis-core";
import { each, fields, labels, type Rule, validator } from "@orch/apis-model";
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

/** Validates a new class. Updates meet only the declared rules. */
export const validateNewRuntimeClass = validator(
  fields<nodeV1.RuntimeClass>({
    overhead,
    scheduling: fields<nodeV1.Scheduling>({
      nodeSelector: labels,
      tolerations: (list, at, report) => {
        tolerations(list, at.field("tolerations"), report);
        distinct(list, at, report);
      },
    }),
  }),
);
