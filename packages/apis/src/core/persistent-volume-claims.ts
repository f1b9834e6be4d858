import type { BuiltInResource } from "../built-in-resource";
import {
  persistentVolumeClaimErrors,
  persistentVolumeClaimStatusErrors,
  persistentVolumeClaimUpdateErrors,
} from "../validation/core/persistent-volume-claim";
import { persistentVolumeClaimColumns } from "./volume-columns";

export const persistentVolumeClaims = {
  group: "core",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  shortNames: ["pvc"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: {
    nameFormat: "subdomain",
    initialStatus: { phase: "Pending" },
    keepOnUpdate: ["status"],
    validate: persistentVolumeClaimErrors,
    validateUpdate: persistentVolumeClaimUpdateErrors,
  },
  subresources: { status: { keeps: ["spec"], validateUpdate: persistentVolumeClaimStatusErrors } },
  deleteReturnsObject: true,
  columns: persistentVolumeClaimColumns,
} as const satisfies BuiltInResource;
