import type { BuiltInResource } from "../built-in-resource";

export const bindings = {
  group: "core",
  kind: "Binding",
  plural: "bindings",
  scope: "Namespaced",
  virtual: true,
  verbs: ["create"],
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain" },
} as const satisfies BuiltInResource;
