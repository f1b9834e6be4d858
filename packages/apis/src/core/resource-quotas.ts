import type { BuiltInResource } from "../built-in-resource";
import { roundResources } from "../defaults/resource-list";
import { objectAt } from "../field-path";
import {
  resourceQuotaErrors,
  resourceQuotaStatusErrors,
  resourceQuotaUpdateErrors,
} from "../validation/core/resource-quota";
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
