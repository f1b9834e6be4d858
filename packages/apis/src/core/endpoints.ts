import type { BuiltInResource } from "../built-in-resource";

export const endpoints = {
  group: "core",
  kind: "Endpoints",
  plural: "endpoints",
  shortNames: ["ep"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", createOnUpdate: true },
} as const satisfies BuiltInResource;
