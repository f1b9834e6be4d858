// Validation of controller revisions. Source: pkg/apis/apps/validation/validation.go.
import type { appsV1 } from "@orch/schema";
import { nonNegative } from "../formats/format-rules";
import { fields, required, validator } from "../model/rules/rule";
import { changes, immutable, updateValidator } from "../model/rules/update-rule";

export const validateControllerRevision = validator(
  fields<appsV1.ControllerRevision>({ data: required(undefined, "data is mandatory"), revision: nonNegative }),
);

export const validateControllerRevisionUpdate = updateValidator<appsV1.ControllerRevision>(
  changes<appsV1.ControllerRevision>({ data: immutable }),
);
