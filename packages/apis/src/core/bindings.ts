import type { BuiltInResource } from "../built-in-resource";
import { bindingErrors } from "../validation/core/binding";

export const bindings = {
  group: "core",
  kind: "Binding",
  plural: "bindings",
  scope: "Namespaced",
  virtual: true,
  verbs: ["create"],
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", validate: bindingErrors },
} as const satisfies BuiltInResource;
