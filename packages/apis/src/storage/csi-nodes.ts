import type { storageV1 } from "@orch/schema";
import type { BuiltInResource } from "../model/built-in-resource";
import { ageColumn, integerColumn, nameColumn } from "../model/columns/column";
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
