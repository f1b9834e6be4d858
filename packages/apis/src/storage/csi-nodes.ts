import { ageColumn, type BuiltInResource, integerColumn, nameColumn } from "@orch/apis-model";
import type { storageV1 } from "@orch/schema";
import { validateCsiNode, validateCsiNodeUpdate } from "./csi-node-validation";

export const csiNodes = {
  group: "storage",
  kind: "CSINode",
  plural: "csinodes",
  scope: "Cluster",
  versions: [
    { version: "v1", introduced: "1.17" },
    { version: "v1beta1", introduced: "1.14", deprecated: "1.17", removed: "1.22", replacement: "storage/v1" },
  ],
  rules: {
    nameFormat: "subdomain",
    unconditionalUpdate: false,
    gated: { CSIVolumeHealth: ["status.storageHealth"] },
    validate: validateCsiNode,
    validateUpdate: validateCsiNodeUpdate,
  },
  deleteReturnsObject: true,
  columns: [
    nameColumn,
    integerColumn<storageV1.CSINode>(
      "Drivers",
      "How many storage drivers run on the node.",
      ({ spec }) => spec?.drivers?.length ?? 0,
    ),
    ageColumn,
  ],
} as const satisfies BuiltInResource;
