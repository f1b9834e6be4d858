import type { BuiltInResource } from "../model/built-in-resource";
import { controllerRevisionColumns } from "./controller-revision-columns";
import { validateControllerRevision, validateControllerRevisionUpdate } from "./controller-revision-validation";

export const controllerRevisions = {
  group: "apps",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
  scope: "Namespaced",
  versions: [
    { version: "v1", introduced: "1.9" },
    { version: "v1beta2", introduced: "1.8", deprecated: "1.9", removed: "1.16", replacement: "apps/v1" },
    { version: "v1beta1", introduced: "1.7", deprecated: "1.8", removed: "1.16", replacement: "apps/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    validate: validateControllerRevision,
    validateUpdate: validateControllerRevisionUpdate,
  },
  columns: controllerRevisionColumns,
} as const satisfies BuiltInResource;
