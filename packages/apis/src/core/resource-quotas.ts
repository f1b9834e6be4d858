import type { BuiltInResource } from "../model/built-in-resource";
import { objectAt } from "../values/field-path";
import { roundResources } from "./pods/resource-list-defaults";
import { resourceQuotaColumns } from "./resource-quota-columns";
import { resourceQuotaErrors, resourceQuotaStatusErrors, resourceQuotaUpdateErrors } from "./resource-quota-validation";

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
  rules: {
    nameFormat: "subdomain",
    initialStatus: {},
    keepOnUpdate: ["status"],
    validate: resourceQuotaErrors,
    validateUpdate: resourceQuotaUpdateErrors,
  },
  subresources: { status: { keeps: ["spec"], validateUpdate: resourceQuotaStatusErrors } },
  deleteReturnsObject: true,
  columns: resourceQuotaColumns,
} as const satisfies BuiltInResource;
