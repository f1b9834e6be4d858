// Validation of replication controllers. Source: pkg/apis/core/validation/validation.go.

import { all, fields, type Rule, required, updateValidator, validator } from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { podTemplateSpec } from "../pods/pod-template-validation";
import { replicaCounts } from "./replica-counts-validation";
import { disksToShare, endlessPods } from "./replicated-template-validation";

const selectsItsPods: Rule<coreV1.ReplicationControllerSpec> = ({ selector = {}, template }, at, report) => {
  const wanted = Object.entries(selector);
  if (wanted.length === 0) report.required(at.field("selector"));
  if (template === undefined) return report.required(at.field("template"));
  const labels = template.metadata?.labels ?? {};
  if (wanted.every(([key, value]) => labels[key] === value)) return;
  const place = at.field("template").field("metadata").field("labels");
  report.invalid(place, labels, "selector does not match template labels");
};

export const replicationControllerErrors = validator(
  fields<coreV1.ReplicationController>({
    spec: required(
      all(
        selectsItsPods,
        fields<coreV1.ReplicationControllerSpec>({ template: all(podTemplateSpec, endlessPods) }),
        ({ replicas = 1, template }, at, report) => {
          if (template !== undefined) disksToShare(replicas, template, at.field("template"), report);
        },
      ),
    ),
  }),
);

export const replicationControllerStatusErrors = updateValidator<coreV1.ReplicationController>(
  ({ status }, _old, at, report) => replicaCounts(status ?? {}, at.field("status"), report),
);
