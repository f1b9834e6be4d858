// Validation of stateful sets. The pod template is checked only in part; pods are validated when they are created.
// Source: pkg/apis/apps/validation/validation.go.

import { endlessPods, podAnnotations } from "@orch/apis-core";
import {
  all,
  changes,
  fields,
  labels,
  nonNegative,
  type Rule,
  unchanged,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { annotationErrors } from "@orch/machinery";
import type { appsV1 } from "@orch/schema";
import { collisionCount, notMoreThan, requireSelector, selectsItsOwn } from "./replicated-pods";

const podManagementPolicy: Rule<appsV1.StatefulSetSpec> = ({ podManagementPolicy: policy }, at, report) => {
  const place = at.field("podManagementPolicy");
  if (policy === undefined) report.required(place);
  else if (policy !== "OrderedReady" && policy !== "Parallel") {
    report.invalid(place, policy, "must be 'OrderedReady' or 'Parallel'");
  }
};

const updateStrategy: Rule<appsV1.StatefulSetSpec> = ({ updateStrategy: strategy = {} }, at, report) => {
  const place = at.field("updateStrategy");
  const { type, rollingUpdate } = strategy;
  if (type === undefined) report.required(place);
  else if (type === "OnDelete") {
    if (rollingUpdate !== undefined) {
      report.invalid(place.field("rollingUpdate"), rollingUpdate, "only allowed for updateStrategy 'RollingUpdate'");
    }
  } else if (type === "RollingUpdate") {
    nonNegative(rollingUpdate?.partition ?? 0, place.field("rollingUpdate").field("partition"), report);
  } else {
    report.invalid(place, strategy, "must be 'RollingUpdate' or 'OnDelete'");
  }
};

const pods: Rule<appsV1.StatefulSetSpec> = (spec, at, report) => {
  requireSelector(spec, "statefulset", at, report);
  selectsItsOwn(spec, at, report);
  const place = at.field("template");
  const { metadata = {} } = spec.template;
  if (metadata.labels !== undefined) labels(metadata.labels, place.field("labels"), report);
  if (metadata.annotations !== undefined) {
    report.found(annotationErrors(metadata.annotations, place.field("annotations").toString()));
    podAnnotations(spec.template, place, report);
  }
  endlessPods(spec.template, place, report);
};

export const validateStatefulSet = validator(
  fields<appsV1.StatefulSet>({
    spec: all<appsV1.StatefulSetSpec>(
      podManagementPolicy,
      updateStrategy,
      fields<appsV1.StatefulSetSpec>({ replicas: nonNegative }),
      pods,
    ),
  }),
);

export const validateStatefulSetUpdate = updateValidator<appsV1.StatefulSet>((next, old, at, report) => {
  if (next.spec === undefined || old.spec === undefined) return;
  const { replicas: _replicas, template: _template, updateStrategy: _strategy, ...fixed } = next.spec;
  const { replicas: _r, template: _t, updateStrategy: _s, ...before } = old.spec;
  if (unchanged(fixed, before)) return;
  const detail =
    "updates to statefulset spec for fields other than 'replicas', 'template', and 'updateStrategy' are forbidden";
  report.forbidden(at.field("spec"), detail);
});

const status = fields<appsV1.StatefulSet>({
  status: all<appsV1.StatefulSetStatus>(
    fields<appsV1.StatefulSetStatus>({
      replicas: nonNegative,
      readyReplicas: nonNegative,
      currentReplicas: nonNegative,
      updatedReplicas: nonNegative,
      availableReplicas: nonNegative,
      observedGeneration: nonNegative,
    }),
    notMoreThan<appsV1.StatefulSetStatus>("readyReplicas", "currentReplicas", "updatedReplicas"),
  ),
});

const statusChange = changes<appsV1.StatefulSet>({ status: changes<appsV1.StatefulSetStatus>({ collisionCount }) });

export const validateStatefulSetStatus = updateValidator<appsV1.StatefulSet>((next, old, at, report) => {
  status(next, at, report);
  statusChange(next, old, at, report);
});
