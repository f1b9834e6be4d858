import { ageColumn, type BuiltInResource, nameColumn } from "@orch/apis-model";
import { validateDeviceClass } from "./device-class-validation";
import { HUB_VERSIONS, V1BETA1 } from "./device-versions";

export const deviceClasses = {
  group: "resource",
  kind: "DeviceClass",
  plural: "deviceclasses",
  scope: "Cluster",
  versions: [...HUB_VERSIONS, V1BETA1],
  rules: {
    nameFormat: "subdomain",
    generationFrom: ["spec"],
    declared: true,
    validate: validateDeviceClass,
    gated: { DRAExtendedResource: ["spec.extendedResourceName"] },
  },
  columns: [nameColumn, ageColumn],
} as const satisfies BuiltInResource;
