import {
  ageColumn,
  type BuiltInResource,
  type CellObject,
  column,
  nameColumn,
  objectAt,
  roundResources,
} from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import { type coreV1, memberOf } from "@orch/schema";
import { quotaWarnings } from "./quota-warnings";
import { resourceQuotaErrors, resourceQuotaStatusErrors, resourceQuotaUpdateErrors } from "./resource-quota-validation";

/** Columns of resource quotas. Source: pkg/printers/internalversion/printers.go. */
const resourceQuotaColumns: readonly TableColumn[] = [
  nameColumn,
  ageColumn,
  column<coreV1.ResourceQuota>("Request", "Requested and limited resources.", (quota) =>
    usage(quota, (name) => !isLimit(name)),
  ),
  column<coreV1.ResourceQuota>("Limit", "What is set as a limit, of what limits may add up to.", (quota) =>
    usage(quota, isLimit),
  ),
];

const isLimit = (name: string): boolean => name.startsWith("limits.");

function usage({ status }: CellObject<coreV1.ResourceQuota>, isShown: (name: string) => boolean): string {
  const names = Object.keys(status?.hard ?? {}).filter(isShown);
  return names
    .sort()
    .map((name) => `${name}: ${(status?.used && memberOf(status.used, name)) ?? "0"}/${status?.hard?.[name]}`)
    .join(", ");
}

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
    warnings: quotaWarnings,
    validate: resourceQuotaErrors,
    validateUpdate: resourceQuotaUpdateErrors,
  },
  subresources: { status: { keeps: ["spec"], validateUpdate: resourceQuotaStatusErrors } },
  deleteReturnsObject: true,
  columns: resourceQuotaColumns,
} as const satisfies BuiltInResource;
