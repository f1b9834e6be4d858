import type { JsonObject } from "@orch/schema";
import type { BuiltInResource, RuleContext } from "../built-in-resource";
import { objectAt } from "../field-path";
import { text } from "../selectable-fields";

export const namespaces = {
  group: "core",
  kind: "Namespace",
  plural: "namespaces",
  shortNames: ["ns"],
  scope: "Cluster",
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  versions: [{ version: "v1" }],
  rules: {
    nameFormat: "label1123",
    initialStatus: { phase: "Active" },
    keepOnUpdate: ["status", "spec.finalizers"],
    create: labelWithName,
    update: (object, _old, context) => labelWithName(object, context),
  },
  subresources: {
    status: { keeps: ["spec"] },
    finalize: { verbs: ["update"], keeps: ["status"] },
  },
  selectableFields: { "status.phase": text("status.phase") },
  deleteReturnsObject: true,
} as const satisfies BuiltInResource;

/** Every namespace carries its name as a label, so that selectors can choose namespaces by name. */
function labelWithName(object: JsonObject, { vocabulary }: RuleContext): void {
  const metadata = objectAt(object, "metadata");
  const name = metadata["name"];
  if (typeof name === "string" && name !== "") objectAt(metadata, "labels")[vocabulary.labels.metadataName] = name;
}
