import type { BuiltInResource } from "../built-in-resource";
import { storageClassColumns } from "./storage-class-columns";

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
  defaults: { fields: { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" } },
  rules: { nameFormat: "subdomain" },
  deleteReturnsObject: true,
  columns: storageClassColumns,
} as const satisfies BuiltInResource;
