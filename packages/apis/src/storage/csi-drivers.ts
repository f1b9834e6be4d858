import type { BuiltInResource } from "../model/built-in-resource";
import { csiDriverColumns } from "./csi-driver-columns";
import { validateCsiDriver, validateCsiDriverUpdate } from "./csi-driver-validation";

export const csiDrivers = {
  group: "storage",
  kind: "CSIDriver",
  plural: "csidrivers",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.18" },
    { version: "v1beta1", introduced: "1.14", deprecated: "1.19", removed: "1.22", replacement: "storage/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    unconditionalUpdate: false,
    gated: {
      CSIInlineVolume: ["spec.volumeLifecycleModes"],
      CSIServiceAccountToken: ["spec.tokenRequests", "spec.requiresRepublish"],
      CSIStorageCapacity: ["spec.storageCapacity"],
      CSIVolumeFSGroupPolicy: ["spec.fsGroupPolicy"],
      SELinuxMountReadWriteOncePod: ["spec.seLinuxMount"],
    },
    validate: validateCsiDriver,
    validateUpdate: validateCsiDriverUpdate,
  },
  defaults: {
    fields: {
      "spec.attachRequired": true,
      "spec.podInfoOnMount": false,
    },
    gated: [
      { gate: "CSIStorageCapacity", fields: { "spec.storageCapacity": false } },
      { gate: "CSIVolumeFSGroupPolicy", fields: { "spec.fsGroupPolicy": "ReadWriteOnceWithFSType" } },
      { gate: "CSIInlineVolume", fields: { "spec.volumeLifecycleModes": ["Persistent"] } },
      { gate: "CSIServiceAccountToken", fields: { "spec.requiresRepublish": false } },
      { gate: "SELinuxMountReadWriteOncePod", fields: { "spec.seLinuxMount": false } },
    ],
  },
  deleteReturnsObject: true,
  columns: csiDriverColumns,
} as const satisfies BuiltInResource;
