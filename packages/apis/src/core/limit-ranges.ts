import type { BuiltInResource } from "../built-in-resource";

export const limitRanges = {
  group: "core",
  kind: "LimitRange",
  plural: "limitranges",
  shortNames: ["limits"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", createOnUpdate: true },
} as const satisfies BuiltInResource;
