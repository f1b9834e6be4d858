// Validation of replica sets. Source: pkg/apis/apps/validation/validation.go.

import { disksToShare, replicaCounts } from "@orch/apis-core";
import { all, changes, fields, nonNegative, type Rule, updateValidator, validator } from "@orch/apis-model";
import type { appsV1 } from "@orch/schema";
import { checkTemplate, fixedSelector, requireSelector } from "./replicated-pods";

const pods: Rule<appsV1.ReplicaSetSpec> = ({ template = NO_TEMPLATE, ...spec }, at, report) => {
  const replicated = { ...spec, template };
  requireSelector(replicated, "deployment", at, report);
  checkTemplate(replicated, at, report);
  disksToShare(spec.replicas ?? 0, template, at.field("template"), report);
};

const NO_TEMPLATE = {};

export const validateReplicaSet = validator(
  fields<appsV1.ReplicaSet>({
    spec: all<appsV1.ReplicaSetSpec>(
      fields<appsV1.ReplicaSetSpec>({ replicas: nonNegative, minReadySeconds: nonNegative }),
      pods,
    ),
  }),
);

export const validateReplicaSetUpdate = updateValidator<appsV1.ReplicaSet>(
  changes<appsV1.ReplicaSet>({
    spec: changes<appsV1.ReplicaSetSpec>({ selector: fixedSelector("extensions/v1beta1") }),
  }),
);

const status = fields<appsV1.ReplicaSet>({ status: replicaCounts });

export const validateReplicaSetStatus = updateValidator<appsV1.ReplicaSet>((next, _old, at, report) =>
  status(next, at, report),
);
