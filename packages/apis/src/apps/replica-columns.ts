// What tables show of kinds that keep a number of equal pods. Source: facts, columns.json "ReplicaSet", "ReplicationController".
import type { TableColumn } from "@orch/machinery";
import { containersColumn, imagesColumn, templateOfSpec } from "../core/pods/pod-template-columns";
import { ageColumn, column, integerColumn, nameColumn, type Seen, wide } from "../model/columns/column";

interface Replicated {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

/** @param selectorText the kind's selector as a person reads it */
export const replicaColumns = <Kind extends Replicated>(
  selectorText: (object: Seen<Kind>) => string,
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
