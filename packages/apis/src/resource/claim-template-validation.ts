// Validation of claim templates. Source: pkg/apis/resource/validation/validation.go.
import { changes, fields, immutable, labels, type Rule, updateValidator, validator } from "@orch/apis-model";
import { annotationErrors } from "@orch/machinery";
import type { metaV1, resourceV1 } from "@orch/schema";
import { claimSpec } from "./claim-validation";

type Template = resourceV1.ResourceClaimTemplate;

const templateMetadata: Rule<metaV1.ObjectMeta> = fields<metaV1.ObjectMeta>({
  annotations: (annotations, at, report) => report.found(annotationErrors(annotations, at.toString())),
  labels,
});

export const validateClaimTemplate = validator(
  fields<Template>({
    spec: fields<resourceV1.ResourceClaimTemplateSpec>({ metadata: templateMetadata, spec: claimSpec }),
  }),
);

export const validateClaimTemplateUpdate = updateValidator<Template>(changes<Template>({ spec: immutable }));
