import type { BuiltInResource } from "@orch/apis-model";

export const volumeAttributesClasses = {
  group: "storage",
  kind: "VolumeAttributesClass",
  plural: "volumeattributesclasses",
  shortNames: ["vac"],
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.34" },
    { version: "v1beta1", introduced: "1.31", deprecated: "1.34", removed: "1.37", replacement: "storage/v1" },
  ],
  rules: { nameFormat: "subdomain" },
} as const satisfies BuiltInResource;
