// Columns of resource quotas. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import { type coreV1, memberOf } from "@orch/schema";
import { ageColumn, column, nameColumn, type Seen } from "../model/columns/column";

export const resourceQuotaColumns: readonly TableColumn[] = [
  nameColumn,
  ageColumn,
  column<coreV1.ResourceQuota>("Request", "What is asked for, of what may be asked for at least or counted.", (quota) =>
    usage(quota, (name) => !isLimit(name)),
  ),
  column<coreV1.ResourceQuota>("Limit", "What is set as a limit, of what limits may add up to.", (quota) =>
    usage(quota, isLimit),
  ),
];

const isLimit = (name: string): boolean => name.startsWith("limits.");

function usage({ status }: Seen<coreV1.ResourceQuota>, isShown: (name: string) => boolean): string {
  const names = Object.keys(status?.hard ?? {}).filter(isShown);
  return names
    .sort()
    .map((name) => `${name}: ${(status?.used && memberOf(status.used, name)) ?? "0"}/${status?.hard?.[name]}`)
    .join(", ");
}
