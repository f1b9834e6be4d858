import type { BuiltInResource } from "../built-in-resource";
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
    validate: validateCsiDriver,
    validateUpdate: validateCsiDriverUpdate,
  },
  defaults: {
    fields: {
      "spec.attachRequired": true,
      "spec.podInfoOnMount": false,
      "spec.fsGroupPolicy": "ReadWriteOnceWithFSType",
      "spec.volumeLifecycleModes": ["Persistent"],
    },
  },
  deleteReturnsObject: true,
  columns: csiDriverColumns,
} as const satisfies BuiltInResource;
