import {
  type BuiltInResource,
  column,
  fieldAt,
  fields,
  labelsText,
  nameColumn,
  objectAt,
  podFields,
  required,
  unchanged,
  validator,
} from "@orch/apis-model";
import { type coreV1, isInt64, type JsonObject, nextInteger } from "@orch/schema";
import { containersColumn, imagesColumn } from "./pod-template-columns";
import { podTemplateSpec } from "./pod-template-validation";
import { templateWarnings } from "./warnings/pod-warnings";

/** Validation of pod templates. Source: pkg/apis/core/validation/validation.go. */
const podTemplateErrors = validator(fields<coreV1.PodTemplate>({ template: required(podTemplateSpec) }));

/** Increments the generation when the template changes. */
function countChange(next: JsonObject, old: JsonObject): void {
  if (unchanged(next["template"], old["template"])) return;
  const generation = fieldAt(old, ["metadata", "generation"]);
  objectAt(next, "metadata")["generation"] = nextInteger(
    generation !== undefined && isInt64(generation) ? generation : 0,
  );
}

export const podTemplates = {
  group: "core",
  kind: "PodTemplate",
  plural: "podtemplates",
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: {
    nameFormat: "subdomain",
    declared: true,
    gated: podFields("template.spec"),
    create: (template, { features }) => {
      if (features.since("1.26")) objectAt(template, "metadata")["generation"] = 1;
    },
    update: (template, old, { features }) => {
      if (features.since("1.26")) countChange(template, old);
    },
    validate: podTemplateErrors,
    warnings: templateWarnings(["template"], { changed: ["template"] }),
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
