// Validation of deployments. Source: pkg/apis/apps/validation/validation.go.

import { disksToShare } from "@orch/apis-core";
import {
  all,
  changes,
  fields,
  NOT_NEGATIVE,
  nonNegative,
  nonNegativeOrPercent,
  notMoreThan100Percent,
  Place,
  type Rule,
  updateValidator,
  validator,
} from "@orch/apis-model";
import { annotationErrors } from "@orch/machinery";
import type { appsV1, appsV1beta1, intstr, metaV1 } from "@orch/schema";
import {
  availableAreReady,
  checkTemplate,
  collisionCount,
  fixedSelector,
  isNone,
  notMoreThan,
  requireSelector,
} from "./replicated-pods";
import { ROLLBACK_TO } from "./workload-conversion";

const rollingUpdate: Rule<appsV1.RollingUpdateDeployment> = all(
  fields<appsV1.RollingUpdateDeployment>({
    maxUnavailable: all<intstr.IntOrString>(nonNegativeOrPercent, notMoreThan100Percent),
    maxSurge: nonNegativeOrPercent,
  }),
  ({ maxUnavailable, maxSurge }, at, report) => {
    if (!isNone(maxUnavailable) || !isNone(maxSurge)) return;
    report.invalid(at.field("maxUnavailable"), maxUnavailable ?? 0, "may not be 0 when `maxSurge` is 0");
  },
);

const strategy: Rule<appsV1.DeploymentStrategy> = (value, at, report) => {
  const place = at.field("rollingUpdate");
  switch (value.type) {
    case "Recreate":
      if (value.rollingUpdate !== undefined) {
        report.forbidden(place, "may not be specified when strategy `type` is 'Recreate'");
      }
      return;
    case "RollingUpdate":
      if (value.rollingUpdate === undefined) report.required(place, "this should be defaulted and never be nil");
      else rollingUpdate(value.rollingUpdate, place, report);
      return;
    default:
      report.notSupported(at, value, ["Recreate", "RollingUpdate"]);
  }
};

const progress: Rule<appsV1.DeploymentSpec> = ({ progressDeadlineSeconds, minReadySeconds = 0 }, at, report) => {
  if (progressDeadlineSeconds === undefined) return;
  const place = at.field("progressDeadlineSeconds");
  nonNegative(progressDeadlineSeconds, place, report);
  if (progressDeadlineSeconds <= minReadySeconds) {
    report.invalid(place, progressDeadlineSeconds, "must be greater than minReadySeconds");
  }
};

const pods: Rule<appsV1.DeploymentSpec> = (spec, at, report) => {
  requireSelector(spec, "deployment", at, report);
  checkTemplate(spec, at, report);
  disksToShare(spec.replicas ?? 0, spec.template, at.field("template"), report);
};

/** Checks the rollback annotation, which is a spec field in older versions. */
const rollback: Rule<metaV1.ObjectMeta> = ({ annotations }, _at, report) => {
  const revision = Number(annotations?.[ROLLBACK_TO] ?? 0);
  if (revision < 0) report.invalid(ROLLBACK_PLACE, revision, NOT_NEGATIVE);
};

const ROLLBACK_PLACE = Place.ROOT.field("spec").field("rollback").field("version");

/** Validation of deployment rollbacks. Source: pkg/apis/apps/validation/validation.go. */
export const rollbackErrors = validator<appsV1beta1.DeploymentRollback>(
  ({ name = "", updatedAnnotations, rollbackTo }, at, report) => {
    if (name === "") report.required(at.field("name"), "name is required");
    report.found(annotationErrors(updatedAnnotations ?? {}, "updatedAnnotations"));
    const revision = rollbackTo?.revision ?? 0;
    // Kubernetes reports this path.
    if (revision < 0) {
      report.invalid(at.field("rollback").field("version"), revision, "must be greater than or equal to 0");
    }
  },
);

export const validateDeployment = validator(
  fields<appsV1.Deployment>({
    metadata: rollback,
    spec: all<appsV1.DeploymentSpec>(
      fields<appsV1.DeploymentSpec>({ replicas: nonNegative }),
      pods,
      fields<appsV1.DeploymentSpec>({
        strategy,
        minReadySeconds: nonNegative,
        revisionHistoryLimit: nonNegative,
      }),
      progress,
    ),
  }),
);

export const validateDeploymentUpdate = updateValidator<appsV1.Deployment>(
  changes<appsV1.Deployment>({
    spec: changes<appsV1.DeploymentSpec>({ selector: fixedSelector("apps/v1beta1", "extensions/v1beta1") }),
  }),
);

const status = fields<appsV1.Deployment>({
  status: all<appsV1.DeploymentStatus>(
    fields<appsV1.DeploymentStatus>({
      observedGeneration: nonNegative,
      replicas: nonNegative,
      updatedReplicas: nonNegative,
      readyReplicas: nonNegative,
      availableReplicas: nonNegative,
      unavailableReplicas: nonNegative,
      terminatingReplicas: nonNegative,
    }),
    notMoreThan<appsV1.DeploymentStatus>("updatedReplicas", "readyReplicas", "availableReplicas"),
    availableAreReady,
  ),
});

const statusChange = changes<appsV1.Deployment>({ status: changes<appsV1.DeploymentStatus>({ collisionCount }) });

export const validateDeploymentStatus = updateValidator<appsV1.Deployment>((next, old, at, report) => {
  status(next, at, report);
  statusChange(next, old, at, report);
});
