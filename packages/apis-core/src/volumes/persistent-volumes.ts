import type { BuiltInResource } from "@orch/apis-model";
import { persistentVolumeErrors, persistentVolumeUpdateErrors } from "./persistent-volume-validation";
import { persistentVolumeColumns } from "./volume-columns";

export const persistentVolumes = {
  group: "core",
  kind: "PersistentVolume",
  plural: "persistentvolumes",
  shortNames: ["pv"],
  scope: "Cluster",
  versions: [{ version: "v1" }],
  defaults: {
    fields: {
      "status.phase": "Pending",
      "spec.persistentVolumeReclaimPolicy": "Retain",
      "spec.volumeMode": "Filesystem",
    },
  },
  rules: {
    nameFormat: "subdomain",
    gated: { VolumeAttributesClass: ["spec.volumeAttributesClassName"] },
    initialStatus: { phase: "Pending" },
    keepOnUpdate: ["status"],
    validate: persistentVolumeErrors,
    validateUpdate: persistentVolumeUpdateErrors,
  },
  subresources: { status: { keeps: ["spec"] } },
  deleteReturnsObject: true,
  columns: persistentVolumeColumns,
} as const satisfies BuiltInResource;
