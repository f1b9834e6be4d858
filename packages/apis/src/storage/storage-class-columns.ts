// Columns of storage classes. Source: pkg/printers/internalversion/printers.go.

import { ageColumn, column, identifying, nameOf } from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { storageV1, Vocabulary } from "@orch/schema";

type StorageClass = storageV1.StorageClass;

export const storageClassColumns = ({ annotations }: Vocabulary): readonly TableColumn[] => [
  identifying(
    column<StorageClass>(
      "Name",
      "The name of the class, and whether it is that of claims which name none.",
      (object) => {
        const notes = object.metadata?.annotations;
        const isDefault = DEFAULT_MARKS.some((mark) => notes?.[annotations[mark]] === "true");
        return isDefault ? `${nameOf(object)} (default)` : nameOf(object);
      },
    ),
  ),
  column<StorageClass>("Provisioner", "Who makes the volumes of the class.", ({ provisioner }) => provisioner ?? ""),
  column<StorageClass>("ReclaimPolicy", "What becomes of a volume once its claim is gone.", ({ reclaimPolicy }) => {
    return reclaimPolicy ?? "Delete";
  }),
  column<StorageClass>("VolumeBindingMode", "When claims get their volume.", ({ volumeBindingMode }) => {
    return volumeBindingMode ?? "Immediate";
  }),
  column<StorageClass>("AllowVolumeExpansion", "Whether volumes can grow.", ({ allowVolumeExpansion }) => {
    return allowVolumeExpansion ?? false;
  }),
  ageColumn,
];

const DEFAULT_MARKS = ["storageclassIsDefaultClass", "storageclassBetaIsDefaultClass"] as const;
