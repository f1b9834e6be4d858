import {
  ageColumn,
  type BuiltInResource,
  booleanColumn,
  column,
  nameColumn,
  objectAt,
  type RuleContext,
  sameValue,
} from "@orch/apis-model";
import type { TableColumn } from "@orch/machinery";
import type { JsonObject, storageV1 } from "@orch/schema";
import { validateCsiDriver, validateCsiDriverUpdate } from "./csi-driver-validation";
import { csiDriverWarnings } from "./storage-warnings";

type Driver = storageV1.CSIDriver;

/** Columns of CSI drivers. Source: pkg/printers/internalversion/printers.go. */
const csiDriverColumns: readonly TableColumn[] = [
  nameColumn,
  booleanColumn<Driver>("AttachRequired", "Whether volumes must be attached before they are mounted.", ({ spec }) => {
    return spec?.attachRequired ?? true;
  }),
  booleanColumn<Driver>("PodInfoOnMount", "Whether the driver receives the pod on mount.", ({ spec }) => {
    return spec?.podInfoOnMount ?? false;
  }),
  column<Driver>("Modes", "How long volumes of the driver may live.", ({ spec }) => {
    return (spec?.volumeLifecycleModes ?? []).join(",") || "<none>";
  }),
  ageColumn,
];

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
    update: countChanges,
    declared: true,
    warnings: csiDriverWarnings,
    gated: {
      CSIInlineVolume: ["spec.volumeLifecycleModes"],
      CSIServiceAccountToken: ["spec.tokenRequests", "spec.requiresRepublish"],
      CSIServiceAccountTokenSecrets: ["spec.serviceAccountTokenInSecrets"],
      CSIStorageCapacity: ["spec.storageCapacity"],
      CSIVolumeFSGroupPolicy: ["spec.fsGroupPolicy"],
      MutableCSINodeAllocatableCount: ["spec.nodeAllocatableUpdatePeriodSeconds"],
      SELinuxMountReadWriteOncePod: ["spec.seLinuxMount"],
      VolumeLimitScaling: ["spec.preventPodSchedulingIfMissing"],
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

/** Increments the generation with each change of the spec, which may change since 1.27. A new driver has no generation. */
function countChanges(driver: JsonObject, old: JsonObject, { features }: RuleContext): void {
  if (!features.since("1.27") || sameValue(objectAt(driver, "spec"), objectAt(old, "spec"))) return;
  objectAt(driver, "metadata")["generation"] = Number(objectAt(old, "metadata")["generation"] ?? 0) + 1;
}
