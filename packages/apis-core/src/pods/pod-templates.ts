import {
  type BuiltInResource,
  column,
  fields,
  labelsText,
  nameColumn,
  podFields,
  required,
  validator,
} from "@orch/apis-model";
import type { coreV1 } from "@orch/schema";
import { containersColumn, imagesColumn } from "./pod-template-columns";
import { podTemplateSpec } from "./pod-template-validation";
import { templateWarnings } from "./warnings/pod-warnings";

/** Validation of pod templates. Source: pkg/apis/core/validation/validation.go. */
const podTemplateErrors = validator(fields<coreV1.PodTemplate>({ template: required(podTemplateSpec) }));

export const podTemplates = {
  group: "core",
  kind: "PodTemplate",
  plural: "podtemplates",
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: {
    nameFormat: "subdomain",
    gated: podFields("template.spec"),
    validate: podTemplateErrors,
    warnings: templateWarnings(["template"]),
  },
  deleteReturnsObject: true,
  columns: [
    nameColumn,
    containersColumn<coreV1.PodTemplate>(({ template }) => template),
    imagesColumn<coreV1.PodTemplate>(({ template }) => template),
    column<coreV1.PodTemplate>("Pod Labels", "The labels that its pods get.", ({ template }) =>
      labelsText(template?.metadata?.labels),
    ),
  ],
} as const satisfies BuiltInResource;
