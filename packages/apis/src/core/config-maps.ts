import type { BuiltInResource } from "../built-in-resource";

export const configMaps = {
  group: "core",
  kind: "ConfigMap",
  plural: "configmaps",
  shortNames: ["cm"],
  scope: "Namespaced",
  versions: [{ version: "v1", introduced: "1.2" }],
  rules: { nameFormat: "subdomain" },
} as const satisfies BuiltInResource;
