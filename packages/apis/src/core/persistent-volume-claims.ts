import type { BuiltInResource } from "../built-in-resource";
import { persistentVolumeClaimColumns } from "./volume-columns";

export const persistentVolumeClaims = {
  group: "core",
  kind: "PersistentVolumeClaim",
  plural: "persistentvolumeclaims",
  shortNames: ["pvc"],
  scope: "Namespaced",
  versions: [{ version: "v1" }],
  rules: { nameFormat: "subdomain", initialStatus: { phase: "Pending" }, keepOnUpdate: ["status"] },
  subresources: { status: { keeps: ["spec"] } },
  deleteReturnsObject: true,
  columns: persistentVolumeClaimColumns,
} as const satisfies BuiltInResource;
