// Columns of kinds with a number of equal pods: replica sets and replication controllers. Source:
// pkg/printers/internalversion/printers.go.

import { ageColumn, type CellObject, column, integerColumn, nameColumn, wide } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import { containersColumn, imagesColumn, templateOfSpec } from "../pods/pod-template-columns";

interface Replicated {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

/** Returns the columns. @param selectorText formats the kind's selector */
export const replicaColumns = <Kind extends Replicated>(
  selectorText: (object: CellObject<Kind>) => string,
): readonly TableColumn[] => [
  nameColumn,
  integerColumn<Replicated>("Desired", "How many pods there should be.", ({ spec }) => spec?.replicas ?? 0),
  integerColumn<Replicated>("Current", "How many pods there are.", ({ status }) => status?.replicas ?? 0),
  integerColumn<Replicated>("Ready", "How many of them are ready.", ({ status }) => status?.readyReplicas ?? 0),
  ageColumn,
  wide(containersColumn(templateOfSpec)),
  wide(imagesColumn(templateOfSpec)),
  wide(column<Kind>("Selector", "Which pods count.", selectorText)),
];
