// Columns of daemon sets. Source: pkg/printers/internalversion/printers.go.

import { containersColumn, imagesColumn, templateOfSpec } from "@orch/apis-core";
import { ageColumn, column, integerColumn, labelsText, nameColumn, selectorText, wide } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { appsV1 } from "@orch/schema";

type DaemonSet = appsV1.DaemonSet;

const nodes = (name: string, description: string, field: Counted): TableColumn =>
  integerColumn<DaemonSet>(name, description, ({ status }) => status?.[field] ?? 0);

type Counted =
  | "desiredNumberScheduled"
  | "currentNumberScheduled"
  | "numberReady"
  | "updatedNumberScheduled"
  | "numberAvailable";

export const daemonSetColumns: readonly TableColumn[] = [
  nameColumn,
  nodes("Desired", "Nodes that should run a pod of the set.", "desiredNumberScheduled"),
  nodes("Current", "Nodes that should, and do.", "currentNumberScheduled"),
  nodes("Ready", "Nodes whose pod is ready.", "numberReady"),
  nodes("Up-to-date", "Nodes whose pod was made from the present template.", "updatedNumberScheduled"),
  nodes("Available", "Nodes whose pod has been ready for long enough.", "numberAvailable"),
  column<DaemonSet>("Node Selector", "The labels of the nodes that should.", ({ spec }) => {
    return labelsText(spec?.template?.spec?.nodeSelector);
  }),
  ageColumn,
  wide(containersColumn(templateOfSpec)),
  wide(imagesColumn(templateOfSpec)),
  wide(column<DaemonSet>("Selector", "Which pods count.", ({ spec }) => selectorText(spec?.selector))),
];
