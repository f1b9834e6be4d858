import type { BuiltInResource } from "../built-in-resource";

export const resourceQuotas = {
  group: "core",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  shortNames: ["quota"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", initialStatus: {}, keepOnUpdate: ["status"] },
  subresources: { status: { keeps: ["spec"] } },
  deleteReturnsObject: true,
} as const satisfies BuiltInResource;
