import { ageColumn, type BuiltInResource, booleanColumn, fieldAt, integerColumn, nameColumn } from "@orch/apis-model";
import type { JsonObject, schedulingV1 } from "@orch/schema";
import { validatePriorityClass, validatePriorityClassUpdate } from "./priority-class-validation";
import { SYSTEM_PRIORITIES } from "./system-priority-classes";

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
    gated: { NonPreemptingPriority: ["preemptionPolicy"] },
    generationFrom: [],
    deletion: { refusal: keepSystemClasses },
    validate: validatePriorityClass,
    validateUpdate: validatePriorityClassUpdate,
  },
  defaults: { gated: [{ gate: "NonPreemptingPriority", fields: { preemptionPolicy: "PreemptLowerPriority" } }] },
  columns: [
    nameColumn,
    integerColumn<schedulingV1.PriorityClass>(
      "Value",
      "The priority of its pods; high goes first.",
      ({ value }) => value ?? 0,
    ),
    booleanColumn<schedulingV1.PriorityClass>(
      "Global-Default",
      "Whether pods that name no class have it.",
      ({ globalDefault }) => globalDefault ?? false,
    ),
    ageColumn,
  ],
} as const satisfies BuiltInResource;

function keepSystemClasses(priorityClass: JsonObject): string | undefined {
  const isSystem = SYSTEM_PRIORITIES.has(String(fieldAt(priorityClass, ["metadata", "name"])));
  return isSystem ? "this is a system priority class and cannot be deleted" : undefined;
}
