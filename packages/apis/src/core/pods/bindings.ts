import type { BuiltInResource } from "../../model/built-in-resource";
import { bindingErrors } from "./binding-validation";

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
