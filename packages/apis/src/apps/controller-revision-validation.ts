// Validation of controller revisions. Source: pkg/apis/apps/validation/validation.go.
import type { appsV1 } from "@orch/schema";
import { fields, required, validator } from "../model/rules/rule";
import { changes, immutable, updateValidator } from "../model/rules/update-rule";
import { nonNegative } from "../values/format-rules";

export const validateControllerRevision = validator(
  fields<appsV1.ControllerRevision>({ data: required(undefined, "data is mandatory"), revision: nonNegative }),
);

export const validateControllerRevisionUpdate = updateValidator<appsV1.ControllerRevision>(
  changes<appsV1.ControllerRevision>({ data: immutable }),
);
