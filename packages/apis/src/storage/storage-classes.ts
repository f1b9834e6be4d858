import type { BuiltInResource } from "@orch/apis-model";
import { storageClassColumns } from "./storage-class-columns";
import { validateNewStorageClass, validateStorageClassUpdate } from "./storage-class-validation";
import { storageClassWarnings } from "./storage-warnings";

export const storageClasses = {
  group: "storage",
  kind: "StorageClass",
  plural: "storageclasses",
  shortNames: ["sc"],
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.6" },
    { version: "v1beta1", introduced: "1.4", deprecated: "1.19", removed: "1.22", replacement: "storage/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    declared: true,
    warnings: storageClassWarnings,
    validateCreate: validateNewStorageClass,
    validateUpdate: validateStorageClassUpdate,
  },
  defaults: { fields: { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" } },
  deleteReturnsObject: true,
  columns: storageClassColumns,
} as const satisfies BuiltInResource;
