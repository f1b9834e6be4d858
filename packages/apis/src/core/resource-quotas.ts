import type { BuiltInResource } from "../built-in-resource";
import { roundResources } from "../defaults/resource-list";
import { objectAt } from "../field-path";
import { resourceQuotaColumns } from "./resource-quota-columns";

export const resourceQuotas = {
  group: "core",
  kind: "ResourceQuota",
  plural: "resourcequotas",
  shortNames: ["quota"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  defaults: {
    then: (quota) => {
      roundResources(objectAt(quota, "spec"), "hard");
      for (const amounts of ["hard", "used"]) roundResources(objectAt(quota, "status"), amounts);
    },
  },
  rules: { nameFormat: "subdomain", initialStatus: {}, keepOnUpdate: ["status"] },
  subresources: { status: { keeps: ["spec"] } },
  deleteReturnsObject: true,
  columns: resourceQuotaColumns,
} as const satisfies BuiltInResource;
