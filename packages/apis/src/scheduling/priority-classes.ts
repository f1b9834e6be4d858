import type { BuiltInResource } from "../built-in-resource";
import { validatePriorityClass, validatePriorityClassUpdate } from "./priority-class-validation";

export const priorityClasses = {
  group: "scheduling",
  kind: "PriorityClass",
  plural: "priorityclasses",
  shortNames: ["pc"],
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.14" },
    { version: "v1beta1", introduced: "1.11", deprecated: "1.14", removed: "1.22", replacement: "scheduling/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    generationFrom: [],
    validate: validatePriorityClass,
    validateUpdate: validatePriorityClassUpdate,
  },
} as const satisfies BuiltInResource;
