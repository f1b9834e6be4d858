// Columns of deployments. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { appsV1 } from "@orch/schema";
import { containersColumn, imagesColumn, templateOfSpec } from "../core/pods/pod-template-columns";
import { ageColumn, column, nameColumn, wide } from "../model/columns/column";
import { queryText } from "../model/columns/column-texts";

type Deployment = appsV1.Deployment;

export const deploymentColumns: readonly TableColumn[] = [
  nameColumn,
  column<Deployment>("Ready", "Pods that are ready, of all that there should be.", ({ spec, status }) => {
    return `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`;
  }),
  column<Deployment>("Up-to-date", "Pods made from the present template.", ({ status }) => {
    return status?.updatedReplicas ?? 0;
  }),
  column<Deployment>("Available", "Pods that have been ready for long enough.", ({ status }) => {
    return status?.availableReplicas ?? 0;
  }),
  ageColumn,
  wide(containersColumn(templateOfSpec)),
  wide(imagesColumn(templateOfSpec)),
  wide(column<Deployment>("Selector", "Which pods count.", ({ spec }) => queryText(spec?.selector))),
];
