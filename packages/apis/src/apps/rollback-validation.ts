// The rules of asking a deployment to go back to what it was. Source: facts, validation/apps.md "DeploymentRollback".
import { annotationErrors } from "@orch/machinery";
import type { appsV1beta1 } from "@orch/schema";
import { validator } from "../model/rules/rule";

export const rollbackErrors = validator<appsV1beta1.DeploymentRollback>(
  ({ name = "", updatedAnnotations, rollbackTo }, at, report) => {
    if (name === "") report.required(at.field("name"), "name is required");
    report.found(annotationErrors(updatedAnnotations ?? {}, "updatedAnnotations"));
    const revision = rollbackTo?.revision ?? 0;
    // Spelled as clients have always seen it.
    if (revision < 0) {
      report.invalid(at.field("rollback").field("version"), revision, "must be greater than or equal to 0");
    }
  },
);
