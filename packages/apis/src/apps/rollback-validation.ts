// Validation of deployment rollbacks. Source: pkg/apis/apps/validation/validation.go.
import { annotationErrors } from "@orch/machinery";
import type { appsV1beta1 } from "@orch/schema";
import { validator } from "../model/rules/rule";

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
