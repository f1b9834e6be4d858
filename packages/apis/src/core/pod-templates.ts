import type { coreV1 } from "@orch/schema";
import type { BuiltInResource } from "../built-in-resource";
import { column, nameColumn } from "../columns/column";
import { containersColumn, imagesColumn } from "../columns/pod-template-columns";
import { labelsText } from "../columns/selector-text";
import { podFields } from "../features/gated-fields";
import { podTemplateErrors } from "../validation/core/replication-controller";

export const podTemplates = {
  group: "core",
  kind: "PodTemplate",
  plural: "podtemplates",
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", gated: podFields("template.spec"), validate: podTemplateErrors },
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
