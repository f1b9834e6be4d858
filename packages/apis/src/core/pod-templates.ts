import type { BuiltInResource } from "../built-in-resource";

export const podTemplates = {
  group: "core",
  kind: "PodTemplate",
  plural: "podtemplates",
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain" },
  deleteReturnsObject: true,
} as const satisfies BuiltInResource;
