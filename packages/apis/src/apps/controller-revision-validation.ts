// Source: facts, validation/apps.md "ControllerRevision".
import type { appsV1 } from "@orch/schema";
import { nonNegative } from "../validation/format-rules";
import { fields, required, validator } from "../validation/rule";
import { changes, immutable, updateValidator } from "../validation/update-rule";

export const validateControllerRevision = validator(
  fields<appsV1.ControllerRevision>({ data: required(undefined, "data is mandatory"), revision: nonNegative }),
);

export const validateControllerRevisionUpdate = updateValidator<appsV1.ControllerRevision>(
  changes<appsV1.ControllerRevision>({ data: immutable }),
);
