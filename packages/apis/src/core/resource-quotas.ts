import type { BuiltInResource } from "../built-in-resource";
import { resourceQuotaColumns } from "./resource-quota-columns";

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
  columns: resourceQuotaColumns,
} as const satisfies BuiltInResource;
