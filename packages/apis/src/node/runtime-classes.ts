import type { BuiltInResource } from "../built-in-resource";

export const runtimeClasses = {
  group: "node",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.20" },
    { version: "v1beta1", introduced: "1.13", deprecated: "1.22", removed: "1.25", replacement: "node/v1" },
  ],
  rules: { nameFormat: "subdomain", createOnUpdate: true, unconditionalUpdate: false },
} as const satisfies BuiltInResource;
