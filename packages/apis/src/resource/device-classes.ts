import { ageColumn, type BuiltInResource, nameColumn } from "@orch/apis-model";
import { validateDeviceClass } from "./device-class-validation";

export const deviceClasses = {
  group: "resource",
  kind: "DeviceClass",
  plural: "deviceclasses",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.34" },
    { version: "v1beta2", introduced: "1.33", deprecated: "1.36", removed: "1.39", replacement: "resource/v1" },
    { version: "v1beta1", introduced: "1.32", deprecated: "1.35", removed: "1.38", replacement: "resource/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    generationFrom: ["spec"],
    validate: validateDeviceClass,
    gated: { DRAExtendedResource: ["spec.extendedResourceName"] },
  },
  columns: [nameColumn, ageColumn],
} as const satisfies BuiltInResource;
