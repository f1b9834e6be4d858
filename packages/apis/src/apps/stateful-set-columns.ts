// Columns of stateful sets. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { appsV1 } from "@orch/schema";
import { containersColumn, imagesColumn, templateOfSpec } from "../core/pods/pod-template-columns";
import { ageColumn, column, nameColumn, wide } from "../model/columns/column";

export const statefulSetColumns: readonly TableColumn[] = [
  nameColumn,
  column<appsV1.StatefulSet>("Ready", "Pods that are ready, of all that there should be.", ({ spec, status }) => {
    return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
  }),
  ageColumn,
  wide(containersColumn(templateOfSpec)),
  wide(imagesColumn(templateOfSpec)),
];
