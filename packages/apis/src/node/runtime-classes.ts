import {
  ageColumn,
  type BuiltInResource,
  column,
  fieldAt,
  nameColumn,
  type WarningContext,
  WarningList,
  warnOfLabels,
} from "@orch/apis-model";
import { isObject, type JsonObject, type nodeV1 } from "@orch/schema";
import { validateNewRuntimeClass, validateRuntimeClassUpdate } from "./runtime-class-validation";

export const runtimeClasses = {
  group: "node",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.20" },
    { version: "v1beta1", introduced: "1.13", deprecated: "1.22", removed: "1.25", replacement: "node/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    createOnUpdate: true,
    unconditionalUpdate: false,
    validateCreate: validateNewRuntimeClass,
    validateUpdate: validateRuntimeClassUpdate,
    declared: true,
    warnings: nodeSelectorWarnings,
  },
  columns: [
    nameColumn,
    column<nodeV1.RuntimeClass>("Handler", "What nodes call the runtime.", ({ handler }) => handler ?? ""),
    ageColumn,
  ],
} as const satisfies BuiltInResource;

/** Returns the warnings about deprecated labels in the node selector. */
function nodeSelectorWarnings(runtimeClass: JsonObject, context: WarningContext): readonly string[] {
  const list = new WarningList(context);
  const selector = fieldAt(runtimeClass, ["scheduling", "nodeSelector"]);
  if (isObject(selector) && list.since("1.27")) warnOfLabels(selector, () => "scheduling.nodeSelector", list);
  return list.texts;
}
