// Source: facts, validation/node.md.
import type { coreV1, nodeV1 } from "@orch/schema";
import { containerResources } from "../core/pods/resource-requirements-validation";
import { toleration } from "../core/pods/tolerations-validation";
import { each, fields, type Rule, required, validator } from "../model/rules/rule";
import { changes, immutable, updateValidator } from "../model/rules/update-rule";
import { label1123, labels } from "../values/format-rules";

const tolerations = each(toleration);

/** Whatever else they say, two tolerations of one taint are one too many. */
const distinct: Rule<readonly coreV1.Toleration[]> = (list, at, report) => {
  const seen = new Set<string>();
  list.forEach((each, position) => {
    const { key = "", operator = "", value = "", effect = "" } = each;
    const text = JSON.stringify([key, operator, value, effect]);
    if (seen.has(text)) report.duplicate(at.item(position), each);
    seen.add(text);
  });
};

/** What pods cost beside their containers is told like the limits of a container, and errors name it so. */
const overhead: Rule<nodeV1.Overhead> = ({ podFixed }, at, report) => {
  if (podFixed !== undefined) containerResources(podFixed, at.field("limits"), report);
};

/** On create alone: of a class that is there only the handler is looked at, which stays. */
export const validateNewRuntimeClass = validator(
  fields<nodeV1.RuntimeClass>({
    handler: required(label1123),
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

export const validateRuntimeClassUpdate = updateValidator<nodeV1.RuntimeClass>(
  changes<nodeV1.RuntimeClass>({ handler: immutable }),
);
