import type { BuiltInResource } from "../built-in-resource";
import { csiDriverColumns } from "./csi-driver-columns";

export const csiDrivers = {
  group: "storage",
  kind: "CSIDriver",
  plural: "csidrivers",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.18" },
    { version: "v1beta1", introduced: "1.14", deprecated: "1.19", removed: "1.22", replacement: "storage/v1" },
  ],
  defaults: {
    fields: {
      "spec.attachRequired": true,
      "spec.podInfoOnMount": false,
      "spec.fsGroupPolicy": "ReadWriteOnceWithFSType",
      "spec.volumeLifecycleModes": ["Persistent"],
    },
  },
  rules: { nameFormat: "subdomain", unconditionalUpdate: false },
  deleteReturnsObject: true,
  columns: csiDriverColumns,
} as const satisfies BuiltInResource;
