// Columns of CSI drivers. Source: pkg/printers/internalversion/printers.go.
import type { TableColumn } from "@orch/machinery";
import type { storageV1 } from "@orch/schema";
import { ageColumn, booleanColumn, column, nameColumn } from "../model/columns/column";

type Driver = storageV1.CSIDriver;

export const csiDriverColumns: readonly TableColumn[] = [
  nameColumn,
  booleanColumn<Driver>("AttachRequired", "Whether volumes must be attached before they are mounted.", ({ spec }) => {
    return spec?.attachRequired ?? true;
  }),
  booleanColumn<Driver>("PodInfoOnMount", "Whether the driver is told of the pod that it mounts for.", ({ spec }) => {
    return spec?.podInfoOnMount ?? false;
  }),
  column<Driver>("Modes", "How long volumes of the driver may live.", ({ spec }) => {
    return (spec?.volumeLifecycleModes ?? []).join(",") || "<none>";
  }),
  ageColumn,
];
